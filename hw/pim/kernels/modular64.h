// SPDX-License-Identifier: Apache-2.0
// Arithmetic modulo primes q below 2^62 with q = 1 mod 128, on a machine that multiplies bytes (a DPU,
// hw/pim/README.md). Every product is a sum of columns. Column k is the sum of the byte products of weight 2^(8k), in
// 32 bits, without carries to the next column. A column can contain 2^16 byte products, but word_of() accepts at most
// 2^8 per column. There are two reductions. A round of Montgomery's reduction [Montgomery85] adds a multiple of q that
// makes the lowest byte zero, carries the rest of the lowest column, and removes this column. Because q q = 1 mod 256,
// the factor of this multiple is -q t mod 256, where t is the lowest byte. Barrett's reduction [Barrett86] estimates
// the quotient. It reduces products of two variables. Montgomery's reduction would also divide them by the radix (2^64
// or 2^56), and a second Montgomery product would have to cancel this division. Barrett's reduction takes less time
// than these two products. Inputs and outputs are canonical, in [0, q), unless stated otherwise.
#pragma once

#include "bytes.h"
#include "word64.h"

enum { kWordBytes = 8, kNarrowBytes = 7, kProductsAtOnce = 8 };

// A word as four quarters. Byte i of the word is byte i mod 2 of quarter i / 2. Only the low 16 bits of a quarter
// count.
struct Quarters {
  uint32_t at[4];
};

__attribute__((always_inline)) static inline struct Quarters quarters_of(uint64_t a) {
  const uint32_t low = (uint32_t)a, high = (uint32_t)(a >> 32);
  const struct Quarters quarters = {{low, low >> 16, high, high >> 16}};
  return quarters;
}

// Returns byte i of a times byte j of b. i and j must be constants after inlining.
__attribute__((always_inline)) static inline uint32_t byte_product(const struct Quarters* a, uint32_t i,
                                                                   const struct Quarters* b, uint32_t j) {
  const uint32_t x = a->at[i / 2], y = b->at[j / 2];
  if (i % 2 == 0) return j % 2 == 0 ? product_ll(x, y) : product_hl(y, x);
  return j % 2 == 0 ? product_hl(x, y) : product_hh(x, y);
}

// Returns the sum of eight columns modulo 2^64.
__attribute__((always_inline)) static inline uint64_t word_of(const uint32_t* column) {
  const uint32_t a = plus_shifted_8(column[0], column[1]);
  const uint32_t b = plus_upper_16(plus_shifted_8(column[2], column[3]), a);
  const uint32_t c = plus_upper_16(plus_shifted_8(column[4], column[5]), b);
  const uint32_t d = plus_upper_16(plus_shifted_8(column[6], column[7]), c);
  return (uint64_t)plus_shifted_16(c & 0xffff, d) << 32 | plus_shifted_16(a & 0xffff, b);
}

// Reduces a from [0, 2q) to [0, q). If a < q, then a - q wraps around to a large word, and the smaller word is a.
__attribute__((always_inline)) static inline uint64_t reduce_once(uint64_t a, uint64_t q) {
  const uint64_t less = a - q;
  return less < a ? less : a;
}

__attribute__((always_inline)) static inline uint64_t add_mod(uint64_t a, uint64_t b, uint64_t q) {
  return reduce_once(a + b, q);
}

__attribute__((always_inline)) static inline uint64_t subtract_mod(uint64_t a, uint64_t b, uint64_t q) {
  const uint64_t difference = a - b, raised = difference + q;
  return raised < difference ? raised : difference;
}

// Returns a * b / 2^(8 * bytes) mod q, for q and a below 2^(8 * bytes) and b below q. Each iteration adds the products
// with one byte of b, and removes one column. The sum is below 2q before the last step.
__attribute__((always_inline)) static inline uint64_t montgomery(uint64_t a, uint64_t b, uint64_t q, uint32_t bytes) {
  const struct Quarters x = quarters_of(a), y = quarters_of(b), z = quarters_of(q);
  const uint32_t negative = 0u - (uint32_t)q;
  uint32_t column[kWordBytes + 1] = {0};
#pragma GCC unroll 8
  for (uint32_t i = 0; i < bytes; i++) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < bytes; j++) column[j] += byte_product(&x, j, &y, i);
    const struct Quarters m = {{product_ll(column[0], negative)}};
    const uint32_t lowest = column[0] + byte_product(&m, 0, &z, 0);
#pragma GCC unroll 8
    for (uint32_t j = 1; j < bytes; j++) column[j - 1] = column[j] + byte_product(&m, 0, &z, j);
    column[bytes - 1] = 0;
    column[0] = plus_upper_8(column[0], lowest);
  }
  return reduce_once(word_of(column), q);
}

// multiply_wide() returns a * b / 2^64 mod q, for any word a. multiply_narrow() returns a * b / 2^56 mod q, for q and a
// below 2^56. In each, b is below q.
__attribute__((noinline, unused)) static uint64_t multiply_wide(uint64_t a, uint64_t b, uint64_t q) {
  return montgomery(a, b, q, kWordBytes);
}
__attribute__((noinline, unused)) static uint64_t multiply_narrow(uint64_t a, uint64_t b, uint64_t q) {
  return montgomery(a, b, q, kNarrowBytes);
}

// Constants for products of two variables modulo q. q has w - 2 - shift bits, where w is 64 or, if narrow, 56.
struct Divisor {
  uint64_t shifted;   // q 2^shift
  uint64_t quotient;  // floor(2^(2w - 4) / shifted)
  uint32_t shift;
};

// Returns a * b mod q, for residues a and b. Let p = a 2^shift b. The estimate of p / shifted is floor(p / 2^(w - 3))
// times `quotient`, divided by 2^(w - 1). The product is computed without its lowest columns. The estimate is too small
// by at most 3.
__attribute__((always_inline)) static inline uint64_t barrett(uint64_t a, uint64_t b, const struct Divisor* divisor,
                                                              uint32_t bytes) {
  const uint64_t shifted = divisor->shifted;
  const uint32_t low_bits = 8 * bytes - 35;
  struct Quarters x = quarters_of(a << divisor->shift), y = quarters_of(b);
  uint32_t column[2 * kWordBytes] = {0};
#pragma GCC unroll 8
  for (uint32_t i = 0; i < bytes; i++) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < bytes; j++) column[i + j] += byte_product(&x, i, &y, j);
  }
  uint32_t digit[kWordBytes];  // lower half: a digit of 16 bits; upper half: the carry into the next digit
  digit[0] = plus_shifted_8(column[0], column[1]);
#pragma GCC unroll 8
  for (uint32_t i = 1; i < kWordBytes; i++)
    digit[i] = plus_upper_16(plus_shifted_8(column[2 * i], column[2 * i + 1]), digit[i - 1]);
  uint32_t word[kWordBytes / 2];
#pragma GCC unroll 8
  for (uint32_t i = 0; i < kWordBytes / 2; i++) word[i] = plus_shifted_16(digit[2 * i] & 0xffff, digit[2 * i + 1]);
  const uint64_t top = (uint64_t)(word[2] >> low_bits | word[3] << (32 - low_bits)) << 32 |
                       (word[1] >> low_bits | word[2] << (32 - low_bits));
  x = quarters_of(top), y = quarters_of(divisor->quotient);
  uint32_t upper[2 * kWordBytes] = {0};
#pragma GCC unroll 8
  for (uint32_t i = 0; i < bytes; i++) {
#pragma GCC unroll 8
    for (uint32_t j = bytes - 2 - (i < bytes - 1 ? i : bytes - 2); j < bytes; j++)
      upper[i + j] += byte_product(&x, i, &y, j);
  }
  const uint32_t next = plus_upper_8(upper[bytes - 1], upper[bytes - 2]);
  upper[bytes] = plus_upper_8(upper[bytes], next);
  const uint64_t estimate = word_of(upper + bytes) << 1 | (next >> 7 & 1);
  x = quarters_of(estimate), y = quarters_of(shifted);
  uint32_t lower[kWordBytes] = {0};
#pragma GCC unroll 8
  for (uint32_t i = 0; i < bytes; i++) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < bytes - i; j++) lower[i + j] += byte_product(&x, i, &y, j);
  }
  uint64_t rest = ((uint64_t)word[1] << 32 | word[0]) - word_of(lower);
  if (bytes == kNarrowBytes) rest &= (1ull << 56) - 1;
  return reduce_once(reduce_once(rest, 2 * shifted), shifted) >> divisor->shift;
}

__attribute__((noinline, unused)) static uint64_t product_wide(uint64_t a, uint64_t b, const struct Divisor* divisor) {
  return barrett(a, b, divisor, kWordBytes);
}
__attribute__((noinline, unused)) static uint64_t product_narrow(uint64_t a, uint64_t b,
                                                                 const struct Divisor* divisor) {
  return barrett(a, b, divisor, kNarrowBytes);
}

// A sum of products of 64-bit words, in columns (see the head of this file).
struct Columns {
  uint32_t at[2 * kWordBytes];
};

// Adds a * b to the columns, for any words a and b.
__attribute__((always_inline)) static inline void add_product(struct Columns* sum, uint64_t a, uint64_t b) {
  const struct Quarters x = quarters_of(a), y = quarters_of(b);
#pragma GCC unroll 8
  for (uint32_t i = 0; i < kWordBytes; i++) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kWordBytes; j++) sum->at[i + j] += byte_product(&x, i, &y, j);
  }
}

// Returns a number below 3q that is sum / 2^64 modulo q. `sum` is a sum of at most eight products. Each product is a
// residue times a word below 2^62.
__attribute__((always_inline)) static inline uint64_t reduce_columns(struct Columns sum, uint64_t q) {
  const struct Quarters z = quarters_of(q);
  const uint32_t negative = 0u - (uint32_t)q;
#pragma GCC unroll 8
  for (uint32_t k = 0; k < kWordBytes; k++) {
    const struct Quarters m = {{product_ll(sum.at[k], negative)}};
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kWordBytes; j++) sum.at[k + j] += byte_product(&m, 0, &z, j);
    sum.at[k + 1] = plus_upper_8(sum.at[k + 1], sum.at[k]);
  }
  return word_of(sum.at + kWordBytes);
}

// Returns the upper word of a * b for any words.
__attribute__((noinline, unused)) static uint64_t upper_product(uint64_t a, uint64_t b) {
  struct Columns product = {{0}};
  add_product(&product, a, b);
#pragma GCC unroll 8
  for (uint32_t k = 0; k < kWordBytes; k++) product.at[k + 1] = plus_upper_8(product.at[k + 1], product.at[k]);
  return word_of(product.at + kWordBytes);
}
