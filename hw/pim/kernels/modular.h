// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo primes q = c * 2^16 + 1 on a machine that multiplies bytes. For such a prime the Montgomery
// multiplier m of t is -t mod 2^16, and m * q is m + ((m * c) << 16). Therefore a round needs one product of 16 bits by
// 16 bits [Montgomery85]. Inputs and outputs are canonical, in [0, q). The comments of the Montgomery functions state
// which larger operands they also accept.
#pragma once

#include "bytes.h"
#include "word32.h"

// Reduces a from [0, 2q) to [0, q). If a < q, a - q wraps to a large word.
__attribute__((always_inline)) static inline uint32_t reduce_once(uint32_t a, uint32_t q) {
  uint32_t less = a - q;
  return less < a ? less : a;
}

__attribute__((always_inline)) static inline uint32_t add_mod(uint32_t a, uint32_t b, uint32_t q) {
  return reduce_once(a + b, q);
}

__attribute__((always_inline)) static inline uint32_t subtract_mod(uint32_t a, uint32_t b, uint32_t q) {
  uint32_t difference = a - b, raised = difference + q;
  return raised < difference ? raised : difference;
}

// Multiplies the low 16 bits of a and b.
__attribute__((always_inline)) static inline uint32_t product_16(uint32_t a, uint32_t b) {
  return plus_shifted_16(plus_shifted_8(product_ll(a, b), product_hl(a, b) + product_hl(b, a)), product_hh(a, b));
}

// Returns a * b / 2^32 mod q for q, a, b < 2^30, one of a, b below q. The value is below 1.25 q before the last step.
// Each round divides by 2^16: with m = -p mod 2^16, (p + m) / 2^16 is (p + 0xffff) >> 16.
__attribute__((always_inline)) static inline uint32_t montgomery_30(uint32_t a, uint32_t b, uint32_t q) {
  const uint32_t c = q >> 16, a_high = a >> 16, b_high = b >> 16;
  uint32_t p = product_16(a, b);
  uint32_t u = plus_upper_16(product_16(a, b_high), p + 0xffff) + product_16(0u - p, c);
  p = u + product_16(a_high, b);
  u = plus_upper_16(product_16(a_high, b_high), p + 0xffff) + product_16(0u - p, c);
  return reduce_once(u, q);
}

// Returns a * b / 2^24 mod q for q, a, b < 2^24, one of a, b below q. The value is below 2 q before the last step. The
// reduction has one round of 16 bits and one of 8.
__attribute__((always_inline)) static inline uint32_t montgomery_24(uint32_t a, uint32_t b, uint32_t q) {
  const uint32_t c = q >> 16, a_high = a >> 16, b_high = b >> 16;
  uint32_t p = product_16(a, b), m = 0u - p;
  uint32_t u = plus_upper_16(product_ll(a, b_high) + product_ll(m, c), p + 0xffff);
  u = plus_shifted_8(u, product_hl(a, b_high) + product_hl(m, c));
  p = u + product_ll(a_high, b);
  u = plus_upper_8(product_hl(b, a_high), p + 0xff);
  return reduce_once(plus_shifted_8(u, product_ll(a_high, b_high) + product_ll(0u - p, c)), q);
}

// Returns a * s mod q for a < q < 2^30 and a byte s, by its quotient instead of Montgomery's form [Barrett86]. q has
// shift + 16 bits, and quotient = floor(s 2^(shift + 23) / q) is below 2^16. The estimate of a s / q is (a >> shift) *
// quotient / 2^23 without its lowest byte product. Before rounding, the estimate is too small by less than 2^-5.
// Therefore one subtraction is enough.
__attribute__((always_inline)) static inline uint32_t times_byte(uint32_t a, uint32_t s, uint32_t quotient,
                                                                 uint32_t shift, uint32_t q) {
  const uint32_t c = q >> 16, top = a >> shift, a_high = a >> 16;
  const uint32_t estimate =
      plus_shifted_8(product_hl(top, quotient) + product_hl(quotient, top), product_hh(top, quotient)) >> 15;
  const uint32_t low = plus_shifted_8(product_ll(a, s), product_hl(a, s)) - estimate;
  const uint32_t high = plus_shifted_8(product_ll(a_high, s), product_hl(a_high, s)) -
                        plus_shifted_8(product_ll(c, estimate), product_hl(c, estimate));
  return reduce_once(plus_shifted_16(low, high), q);
}
