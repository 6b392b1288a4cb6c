// SPDX-License-Identifier: Apache-2.0
// Arithmetic of device `ref`, with which tests compare all other devices. It has one obvious algorithm for each
// operation, for words of 32, 64 and 128 bits. Operands and results are canonical. It is neither constant time nor
// fast.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort::ref {

template <class W>
W add(W a, W b, W q) {  // q is below half the word's range, so that a + b does not wrap
  const W sum = a + b;
  return sum >= q ? sum - q : sum;
}

template <class W>
W subtract(W a, W b, W q) {
  return a >= b ? a - b : a + (q - b);
}

inline u32 mul(u32 a, u32 b, u32 q) { return static_cast<u32>(u64{a} * b % q); }
inline u64 mul(u64 a, u64 b, u64 q) { return static_cast<u64>(u128{a} * b % q); }
inline u128 mul(u128 a, u128 b, u128 q) {  // by doubling, because there is no wider word
  u128 product = 0;
  for (; b != 0; b >>= 1, a = add(a, a, q)) {
    if (b & 1) product = add(product, a, q);
  }
  return product;
}

template <class W>
W halve(W a, W q) {  // a / 2 mod q, q odd
  return a % 2 == 0 ? a / 2 : a / 2 + q / 2 + 1;
}

inline u32 reverse_bits(u32 value, u32 bits) {
  u32 reversed = 0;
  for (u32 i = 0; i < bits; ++i) reversed |= (value >> i & 1) << (bits - 1 - i);
  return reversed;
}

// Returns a vector with powers[i] = root^reverse_bits(i).
template <class W>
std::vector<W> reversed_powers(W root, u32 n, W q) {
  u32 bits = 0;
  while ((1u << bits) < n) ++bits;
  std::vector<W> powers(n);
  W power = 1;
  for (u32 i = 0; i < n; ++i, power = mul(power, root, q)) powers[reverse_bits(i, bits)] = power;
  return powers;
}

// Runs the merged Cooley-Tukey transform, from natural to bit-reversed order [Shivdikar22, Alg. 5]. "Merged" means that
// its factors include the powers of psi (backend/plan.h) by which a transform modulo x^n + 1 scales the coefficients.
template <class W>
void forward(W* a, u32 n, const std::vector<W>& powers, W q) {
  for (u32 m = 1, k = n / 2; m < n; m *= 2, k /= 2) {
    for (u32 i = 0; i < m; ++i) {
      for (u32 j = 2 * i * k; j < 2 * i * k + k; ++j) {
        const W product = mul(powers[m + i], a[j + k], q);
        a[j + k] = subtract(a[j], product, q);
        a[j] = add(a[j], product, q);
      }
    }
  }
}

// Runs the inverse transform, merged Gentleman-Sande [Shivdikar22, Alg. 6]. Each of the log2(n) stages halves its
// results, which gives the factor 1/n [Shivdikar22, section III-A].
template <class W>
void inverse(W* a, u32 n, const std::vector<W>& inverse_powers, W q) {
  for (u32 m = n / 2, k = 1; m >= 1; m /= 2, k *= 2) {
    for (u32 i = 0; i < m; ++i) {
      for (u32 j = 2 * i * k; j < 2 * i * k + k; ++j) {
        const W difference = subtract(a[j], a[j + k], q);
        a[j] = halve(add(a[j], a[j + k], q), q);
        a[j + k] = halve(mul(inverse_powers[m + i], difference, q), q);
      }
    }
  }
}

}  // namespace ringfort::ref
