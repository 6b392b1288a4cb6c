// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo primes q = c * 2^16 + 1, on a machine that multiplies bytes (a DPU, hw/pim/README.md). A Montgomery
// round divides a number t by 2^16 modulo q [Montgomery85]: it adds the multiple m * q that makes the lower 16 bits
// zero. For these primes, m is -t mod 2^16, and m * q is m + ((m * c) << 16). Therefore a round needs only one product
// of 16 bits by 16 bits. Inputs and outputs are canonical, in [0, q), unless the comment of a function says otherwise.
#pragma once

#include "bytes.h"
#include "word32.h"

// Reduces a from [0, 2q) to [0, q). If a < q, then a - q wraps around to a large word, and the smaller word is a.
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

// Returns a * b / 2^32 mod q. All of q, a and b are below 2^30, and a or b is below q. Two rounds divide by 2^16 each.
// p is the number t of a round. (p + m) / 2^16 is p / 2^16, rounded up: (p + 0xffff) >> 16. The value is below 1.25 q
// before the last step.
__attribute__((always_inline)) static inline uint32_t montgomery_30(uint32_t a, uint32_t b, uint32_t q) {
  const uint32_t c = q >> 16, a_high = a >> 16, b_high = b >> 16;
  uint32_t p = product_16(a, b);
  uint32_t u = plus_upper_16(product_16(a, b_high), p + 0xffff) + product_16(0u - p, c);
  p = u + product_16(a_high, b);
  u = plus_upper_16(product_16(a_high, b_high), p + 0xffff) + product_16(0u - p, c);
  return reduce_once(u, q);
}

// Returns a * b / 2^24 mod q. All of q, a and b are below 2^24, and a or b is below q. One round divides by 2^16, and
// one by 2^8. The value is below 2 q before the last step.
__attribute__((always_inline)) static inline uint32_t montgomery_24(uint32_t a, uint32_t b, uint32_t q) {
  const uint32_t c = q >> 16, a_high = a >> 16, b_high = b >> 16;
  uint32_t p = product_16(a, b), m = 0u - p;
  uint32_t u = plus_upper_16(product_ll(a, b_high) + product_ll(m, c), p + 0xffff);
  u = plus_shifted_8(u, product_hl(a, b_high) + product_hl(m, c));
  p = u + product_ll(a_high, b);
  u = plus_upper_8(product_hl(b, a_high), p + 0xff);
  return reduce_once(plus_shifted_8(u, product_ll(a_high, b_high) + product_ll(0u - p, c)), q);
}

// Returns a * s mod q, for a < q < 2^30 and a byte s. Estimates the quotient a s / q [Barrett86], instead of using
// Montgomery's form. q has shift + 16 bits. `quotient` is floor(s 2^(shift + 23) / q), which is below 2^16. The
// estimate is (a >> shift) * quotient / 2^23. Of the four products of bytes, the code omits the product of the two low
// bytes. Before the last shift rounds it down, the estimate is too small by less than 2^-5. Therefore the remainder is
// below 2q, and one subtraction of q is enough.
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
