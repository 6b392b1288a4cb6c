// SPDX-License-Identifier: Apache-2.0
// Programs as jobs, for data that does not fit in the vector data memory. Operands and table are in off-chip memory.
// The program is cut into kernels, and pages of words are transferred while kernels run. A program that fits in the
// memory can also become a job, which then transfers its data.
#pragma once

#include "codegen/kernels.h"
#include "sim/job/execute.h"

namespace ringfort::rpu {

// A job with its arrays: the operands (polynomials() * n words each) and "table". `result` is the name of the array
// that has the result afterwards. The job's program has the symbols of the scalar memory, and the symbol "pages", which
// is the vector memory.
struct TiledProgram {
  job::Job job;
  job::Report report;
  std::string result;
  BitMap order;
};

// Tells whether no plan for the request fits the machine's vector data memory.
[[nodiscard]] bool outgrows_memory(const KernelRequest& request);

// Throws Refusal on an unusable size, modulus or machine, and std::logic_error if the job fails its verification.
[[nodiscard]] TiledProgram generate_tiled(const KernelRequest& request);

}  // namespace ringfort::rpu
