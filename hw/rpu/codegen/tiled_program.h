// SPDX-License-Identifier: Apache-2.0
// Programs for data that do not fit in the vector data memory. Such a program is a job (sim/job/job.h): several
// kernels, and transfers of pages of words while the kernels run. Operands and table are in off-chip memory. A program
// whose data fit can also become a job; the job then transfers all of its data. hw/rpu/README.md explains the terms.
#pragma once

#include "codegen/kernels.h"
#include "sim/job/execute.h"

namespace ringfort::rpu {

// A job with its arrays in off-chip memory: the operands (polynomials() * n words each) and "table". `result` is the
// name of the array that has the result after the job. The job's program has the symbols of the scalar memory (link.h),
// and the symbol "pages" for the vector memory.
struct TiledProgram {
  job::Job job;
  job::Report report;
  std::string result;
  BitMap order;
};

// Tells whether every plan for the request needs more than the machine's vector data memory.
[[nodiscard]] bool outgrows_memory(const KernelRequest& request);

// Throws Refusal if a size, a modulus or the machine cannot be used, and std::logic_error if the job gives wrong
// results.
[[nodiscard]] TiledProgram generate_tiled(const KernelRequest& request);

}  // namespace ringfort::rpu
