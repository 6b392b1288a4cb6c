// SPDX-License-Identifier: Apache-2.0
// Sums of products, in 64 bits, modulo primes q = c 2^16 + 1 (modular.h). One reduction serves several products.
// Therefore a product costs less than a Montgomery product. A sum has at most kProductsAtOnce products. A
// product is a residue modulo q times a number below 2^30, or below 2^24 in the functions for q < 2^24.
#pragma once

#include "modular.h"

enum { kProductsAtOnce = 8 };

// Returns a b for a, b < 2^30. The sum of the two middle products of digits is below 2^31.
__attribute__((always_inline)) static inline uint64_t wide_product_30(uint32_t a, uint32_t b) {
  const uint32_t a_high = a >> 16, b_high = b >> 16;
  const uint32_t middle = product_16(a, b_high) + product_16(a_high, b);
  const uint64_t ends = (uint64_t)product_16(a_high, b_high) << 32 | product_16(a, b);
  return ends + ((uint64_t)middle << 16);
}

// Returns a b for a, b < 2^24. The upper digits of a and b are bytes.
__attribute__((always_inline)) static inline uint64_t wide_product_24(uint32_t a, uint32_t b) {
  const uint32_t a_high = a >> 16, b_high = b >> 16;
  const uint32_t middle =
      plus_shifted_8(product_ll(a, b_high) + product_ll(b, a_high), product_hl(a, b_high) + product_hl(b, a_high));
  const uint64_t ends = (uint64_t)product_ll(a_high, b_high) << 32 | product_16(a, b);
  return ends + ((uint64_t)middle << 16);
}

// Returns sum / 2^32 mod q for a sum of at most eight products and q < 2^30. The value is below 3 q before the last
// steps. The sum contributes at most 2 q, and the multiples of q that the two rounds add contribute at most q.
__attribute__((always_inline)) static inline uint32_t reduce_wide_30(uint64_t sum, uint32_t q) {
  const uint32_t c = q >> 16;
  const uint64_t once = ((sum + 0xffff) >> 16) + product_16(0u - (uint32_t)sum, c);
  const uint32_t twice = (uint32_t)((once + 0xffff) >> 16) + product_16(0u - (uint32_t)once, c);
  return reduce_once(reduce_once(twice, 2 * q), q);
}

// Returns sum / 2^24 mod q for a sum of at most eight products and q < 2^24. The value is below 10 q before the last
// steps. The sum contributes at most 8 q, and the multiples of q that the two rounds add contribute at most q.
__attribute__((always_inline)) static inline uint32_t reduce_wide_24(uint64_t sum, uint32_t q) {
  const uint32_t c = q >> 16;
  const uint32_t m = 0u - (uint32_t)sum;
  const uint64_t once = ((sum + 0xffff) >> 16) + plus_shifted_8(product_ll(m, c), product_hl(m, c));
  const uint32_t twice = plus_shifted_8((uint32_t)((once + 0xff) >> 8), product_ll(0u - (uint32_t)once, c));
  return reduce_once(reduce_once(reduce_once(reduce_once(twice, 8 * q), 4 * q), 2 * q), q);
}
