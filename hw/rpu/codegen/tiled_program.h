// SPDX-License-Identifier: Apache-2.0
// Runs programs that exceed the vector data memory as jobs: operands and table are in off-chip memory, the program is
// cut into kernels, and pages of words are transferred while kernels run. If a program fits the memory, its job runs
// the same transform and also transfers the data.
#pragma once

#include "codegen/kernels.h"
#include "sim/job/execute.h"

namespace ringfort::rpu {

// A job with its arrays: the operands (polynomials() * n words each) and "table". `result` is the name of the array
// that has the result afterwards. The job's program has the symbols of the scalar memory, and "pages", the vector
// memory.
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
