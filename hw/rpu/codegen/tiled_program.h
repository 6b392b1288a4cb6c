// SPDX-License-Identifier: Apache-2.0
// Programs whose words outgrow the vector data memory, as jobs: the operands and the table stand in off-chip memory,
// the program is cut into kernels, and pages of words go in and out side by side with them. For a request whose program
// fits it is the same transform together with its transfers.
#pragma once

#include "codegen/kernels.h"
#include "sim/job/execute.h"

namespace ringfort::rpu {

// The job's arrays: the operands (polynomials() * n words each) and "table". `result` names the one that holds the
// result afterwards. Its program has the symbols of the scalar memory, and "pages", the vector memory.
struct TiledProgram {
  job::Job job;
  job::Report report;
  std::string result;
  BitMap order;
};

// True if no plan for the request fits the machine's vector data memory.
[[nodiscard]] bool outgrows_memory(const KernelRequest& request);

// Refuses a size, a modulus or a machine that cannot work; throws std::logic_error if its own check fails.
[[nodiscard]] TiledProgram generate_tiled(const KernelRequest& request);

}  // namespace ringfort::rpu
