// SPDX-License-Identifier: Apache-2.0
// Numbers of issue slots that the vendor's run-time routines for multiplication and division take. The numbers include
// the call and the return. They follow from published source code and throughputs. A 32-bit multiplication takes one
// step for each bit of the smaller operand. A division takes one step for each bit of the quotient. A 64-bit
// multiplication takes 36 products of bytes, because 36 of the 64 pairs of bytes contribute to the lower 64 bits.
// hw/pim/README.md explains the terms.
#pragma once

#include <algorithm>
#include <bit>

#include "words.h"

namespace ringfort::pim {

inline u32 bit_length(u64 value) { return static_cast<u32>(std::bit_width(value)); }

inline u32 multiply32_slots(u32 a, u32 b) { return 7 + bit_length(std::min(a, b)); }

inline u32 divide32_slots(u32 a, u32 b, bool is_signed) {
  const u32 quotient = b == 0 ? 0 : a / b;
  return 8 + bit_length(quotient) + (is_signed ? 8 : 0);
}

inline constexpr u32 kMultiply64Slots = 131;

inline u32 divide64_slots(u64 a, u64 b) {
  const u64 quotient = b == 0 ? 0 : a / b;
  return 30 + 19 * bit_length(quotient);
}

}  // namespace ringfort::pim
