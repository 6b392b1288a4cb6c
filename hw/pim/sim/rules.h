// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the instructions (RV32I, Zba, Zbb and the DPU's own) as plain functions of two words, or of three
// if the instruction has a shift amount or a variant. hw/pim/README.md explains the terms.
#pragma once

#include <algorithm>
#include <bit>

#include "../sdk/dpu/dpu_isa.h"
#include "words.h"

namespace ringfort::pim::rule {

inline i32 as_signed(u32 a) { return static_cast<i32>(a); }

inline u32 add(u32 a, u32 b) { return a + b; }
inline u32 subtract(u32 a, u32 b) { return a - b; }
inline u32 shift_left(u32 a, u32 b) { return a << (b & 31); }
inline u32 shift_right(u32 a, u32 b) { return a >> (b & 31); }
inline u32 shift_right_signed(u32 a, u32 b) { return static_cast<u32>(as_signed(a) >> (b & 31)); }
inline u32 rotate_left(u32 a, u32 b) { return std::rotl(a, static_cast<int>(b & 31)); }
inline u32 rotate_right(u32 a, u32 b) { return std::rotr(a, static_cast<int>(b & 31)); }
inline u32 less_signed(u32 a, u32 b) { return as_signed(a) < as_signed(b); }
inline u32 less(u32 a, u32 b) { return a < b; }
inline u32 exclusive_or(u32 a, u32 b) { return a ^ b; }
inline u32 inclusive_or(u32 a, u32 b) { return a | b; }
inline u32 conjunction(u32 a, u32 b) { return a & b; }
inline u32 exclusive_nor(u32 a, u32 b) { return ~(a ^ b); }
inline u32 or_not(u32 a, u32 b) { return a | ~b; }
inline u32 and_not(u32 a, u32 b) { return a & ~b; }
inline u32 add_twice(u32 a, u32 b) { return (a << 1) + b; }
inline u32 add_four_times(u32 a, u32 b) { return (a << 2) + b; }
inline u32 add_eight_times(u32 a, u32 b) { return (a << 3) + b; }
inline u32 least_signed(u32 a, u32 b) { return as_signed(a) < as_signed(b) ? a : b; }
inline u32 least(u32 a, u32 b) { return std::min(a, b); }
inline u32 greatest_signed(u32 a, u32 b) { return as_signed(a) < as_signed(b) ? b : a; }
inline u32 greatest(u32 a, u32 b) { return std::max(a, b); }

// Functions of one word. They ignore the second word.
inline u32 half_word(u32 a, u32) { return a & 0xffff; }
inline u32 leading_zeros(u32 a, u32) { return static_cast<u32>(std::countl_zero(a)); }
inline u32 trailing_zeros(u32 a, u32) { return static_cast<u32>(std::countr_zero(a)); }
inline u32 count_ones(u32 a, u32) { return static_cast<u32>(std::popcount(a)); }
inline u32 extend_byte(u32 a, u32) { return static_cast<u32>(static_cast<i8>(a)); }
inline u32 extend_half(u32 a, u32) { return static_cast<u32>(static_cast<i16>(a)); }
inline u32 reverse_bytes(u32 a, u32) { return a >> 24 | (a >> 8 & 0xff00) | (a << 8 & 0xff0000) | a << 24; }
inline u32 fill_bytes(u32 a, u32) {
  u32 bytes = 0;
  for (int shift = 0; shift < 32; shift += 8) bytes |= (a >> shift & 255) != 0 ? 255u << shift : 0;
  return bytes;
}

inline bool equal(u32 a, u32 b) { return a == b; }
inline bool different(u32 a, u32 b) { return a != b; }
inline bool below_signed(u32 a, u32 b) { return as_signed(a) < as_signed(b); }
inline bool not_below_signed(u32 a, u32 b) { return as_signed(a) >= as_signed(b); }
inline bool below(u32 a, u32 b) { return a < b; }
inline bool not_below(u32 a, u32 b) { return a >= b; }

inline u32 lsl_add(u32 a, u32 b, u32 n) { return a + (b << n); }
inline u32 lsr_add(u32 a, u32 b, u32 n) { return a + (b >> n); }
inline u32 rol_add(u32 a, u32 b, u32 n) { return a + rotate_left(b, n); }
inline u32 lsl_sub(u32 a, u32 b, u32 n) { return a - (b << n); }
u32 unary(u32 a, u32 b, u32 which);  // `which` is a DpuUnary

template <u32 kVariant>  // DpuMultiplyVariant
u32 multiply_bytes(u32 a, u32 b) {
  const auto pick = [](u32 word, bool high, bool is_signed) {
    const u32 byte = (high ? word >> 8 : word) & 255;
    return is_signed ? (byte ^ 128) - 128 : byte;
  };
  return pick(a, (kVariant & kDpuFirstHigh) != 0, (kVariant & kDpuFirstSigned) != 0) *
         pick(b, (kVariant & kDpuSecondHigh) != 0, (kVariant & kDpuSecondSigned) != 0);
}

}  // namespace ringfort::pim::rule
