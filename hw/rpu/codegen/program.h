// SPDX-License-Identifier: Apache-2.0
// Whole programs: a breakdown rule, the best of a counted number of schedules, and the data that go with it, linked to
// an image and compared with the reference before anyone sees it.
#pragma once

#include "codegen/kernels.h"
#include "sim/image.h"

namespace ringfort::rpu {

// The program's symbols: its operands (polynomials() * n words each) and "table" in the vector memory; "zero", "moduli"
// and "scalars" in the scalar memory. `result` names the operand that holds the result afterwards.
struct Program {
  Image image;
  std::string result;
  BitMap order;
  u64 cycles = 0;
  KernelPlan plan;  // that it was made from
};

// Refuses a size, a modulus or a machine that cannot work; throws std::logic_error if its own check fails.
[[nodiscard]] Program generate(const KernelRequest& request);

// Runs the program on a random input and on one of 0, 1, q - 1, and compares with the reference.
[[nodiscard]] bool verify(const Program& program, const KernelRequest& request, u64 seed);

}  // namespace ringfort::rpu
