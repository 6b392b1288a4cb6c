// SPDX-License-Identifier: Apache-2.0
// Issue slots of the vendor's run-time multiply and divide routines, call and return included, as published sources and
// throughputs give them: 32-bit multiply one step a bit of the smaller operand (early exit), divide one step a quotient
// bit, 64-bit multiply 36 byte products.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ringfort::pim {

inline std::uint32_t bit_length(std::uint64_t value) { return static_cast<std::uint32_t>(std::bit_width(value)); }

inline std::uint32_t multiply32_slots(std::uint32_t a, std::uint32_t b) { return 7 + bit_length(std::min(a, b)); }

inline std::uint32_t divide32_slots(std::uint32_t a, std::uint32_t b, bool is_signed) {
  const std::uint32_t quotient = b == 0 ? 0 : a / b;
  return 8 + bit_length(quotient) + (is_signed ? 8 : 0);
}

inline constexpr std::uint32_t kMultiply64Slots = 131;

inline std::uint32_t divide64_slots(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t quotient = b == 0 ? 0 : a / b;
  return 30 + 19 * bit_length(quotient);
}

}  // namespace ringfort::pim
