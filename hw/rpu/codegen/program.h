// SPDX-License-Identifier: Apache-2.0
// Makes whole programs: chooses a breakdown rule and the best of a fixed number of schedules, and links code and data
// to an image. The image is compared with the reference before it is returned.
#pragma once

#include "codegen/kernels.h"
#include "sim/image.h"

namespace ringfort::rpu {

// A program with its symbols: the operands (polynomials() * n words each) and "table" in the vector memory; "zero",
// "moduli" and "scalars" in the scalar memory. `result` is the name of the operand that has the result afterwards.
struct Program {
  Image image;
  std::string result;
  BitMap order;
  u64 cycles = 0;
  KernelPlan plan;  // source of the program
};

// Throws Refusal on an unusable size, modulus or machine, and std::logic_error if the program fails its verification.
[[nodiscard]] Program generate(const KernelRequest& request);

// Runs the program on a random input and on an input of the words 0, 1, q - 1, and compares the results with the
// reference.
[[nodiscard]] bool verify(const Program& program, const KernelRequest& request, u64 seed);

}  // namespace ringfort::rpu
