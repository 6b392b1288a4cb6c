// SPDX-License-Identifier: Apache-2.0
// Whole programs: a breakdown rule, the best of a counted number of schedules, and the data that go with it, linked to an
// image and compared with the reference transform before anyone sees it.
#pragma once

#include "codegen/schedule.h"
#include "sim/image.h"

namespace ringfort::rpu {

inline constexpr u32 kLeastTransform = 1024;
inline constexpr u32 kLargestTransform = 131072;

struct TransformRequest {
  u32 n = 65536;     // a power of two in kLeastTransform .. kLargestTransform
  u128 modulus = 0;  // a prime = 1 mod 2 n
  Machine machine;
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;
  u32 tries = 16;  // schedules of each breakdown rule to choose from; equal requests give equal programs
};

// The program's symbols: "x" (n words, the input), "y" (n words, where the rule needs a second buffer), "table"; "q" and
// "zero" in the scalar memory. `result` names the buffer in which the evaluations stand afterwards, bit-reversed order.
struct Program {
  Image image;
  std::string result;
  u64 cycles = 0;
};

// Refuses a size, a modulus or a machine that cannot work; throws std::logic_error if its own check fails.
[[nodiscard]] Program forward_transform(const TransformRequest& request);

// Runs the program on a random input (and on 0 .. 0, 1, q - 1 patterns) and compares with the reference.
[[nodiscard]] bool verify_transform(const Program& program, const TransformRequest& request, u64 seed);

}  // namespace ringfort::rpu
