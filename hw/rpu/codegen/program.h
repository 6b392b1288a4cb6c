// SPDX-License-Identifier: Apache-2.0
// Makes whole programs. It chooses a breakdown rule (rules.h), tries a fixed number of schedules, and makes an image of
// the code and data of the best one. Before it returns the image, it compares runs of the program with the reference
// (verify.h).
#pragma once

#include "codegen/kernels.h"
#include "sim/image.h"

namespace ringfort::rpu {

// A program with its symbols. The vector memory has the operands (polynomials() * n words each) and "table". The scalar
// memory has "zero", "moduli" and "scalars". `result` is the name of the operand that has the result after the run.
struct Program {
  Image image;
  std::string result;
  BitMap order;
  u64 cycles = 0;
  KernelPlan plan;  // the plan from which the program was made
};

// Throws Refusal if a size, a modulus or the machine cannot be used, and std::logic_error if the program gives wrong
// results.
[[nodiscard]] Program generate(const KernelRequest& request);

// Runs the program on a random input, and on an input of the words 0, 1 and q - 1. Compares the results with the
// reference.
[[nodiscard]] bool verify(const Program& program, const KernelRequest& request, u64 seed);

}  // namespace ringfort::rpu
