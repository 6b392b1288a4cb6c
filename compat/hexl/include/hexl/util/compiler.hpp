// SPDX-License-Identifier: Apache-2.0
// Products and quotients of words of 64 bits with results of 128 bits.
#pragma once

#include <cmath>

#include "hexl/util/check.hpp"
#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"

#if defined(HEXL_USE_CLANG)
#define HEXL_LOOP_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#define HEXL_LOOP_UNROLL_8 _Pragma("clang loop unroll_count(8)")
#else
#define HEXL_LOOP_UNROLL_4 _Pragma("GCC unroll 4")
#define HEXL_LOOP_UNROLL_8 _Pragma("GCC unroll 8")
#endif

namespace intel {
namespace hexl {

inline uint128_t MultiplyUInt64(uint64_t x, uint64_t y) { return static_cast<uint128_t>(x) * y; }

inline void MultiplyUInt64(uint64_t x, uint64_t y, uint64_t* prod_hi, uint64_t* prod_lo) {
  const uint128_t product = MultiplyUInt64(x, y);
  *prod_lo = static_cast<uint64_t>(product);
  *prod_hi = static_cast<uint64_t>(product >> 64);
}

// Returns floor(x y / 2^BitShift) modulo 2^64.
template <int BitShift>
inline uint64_t MultiplyUInt64Hi(uint64_t x, uint64_t y) {
  return static_cast<uint64_t>(MultiplyUInt64(x, y) >> BitShift);
}

// Returns input_hi 2^64 + input_lo modulo `modulus`, which is not 0.
inline uint64_t BarrettReduce128(uint64_t input_hi, uint64_t input_lo, uint64_t modulus) {
  ringfort_checks::refuse_unless(modulus != 0, "the modulus is 0", "choose a modulus above 0");
  return static_cast<uint64_t>((static_cast<uint128_t>(input_hi) << 64 | input_lo) % modulus);
}

// Returns floor((x1 2^64 + x0) / y) modulo 2^64. y is not 0.
inline uint64_t DivideUInt128UInt64Lo(uint64_t x1, uint64_t x0, uint64_t y) {
  ringfort_checks::refuse_unless(y != 0, "the divisor is 0", "choose a divisor above 0");
  return static_cast<uint64_t>((static_cast<uint128_t>(x1) << 64 | x0) / y);
}

// Returns the index of the highest set bit. `input` is not 0.
inline uint64_t MSB(uint64_t input) {
  ringfort_checks::refuse_unless(input != 0, "0 has no highest bit", "call MSB with a number above 0");
  return static_cast<uint64_t>(63 - __builtin_clzll(input));
}

}  // namespace hexl
}  // namespace intel
