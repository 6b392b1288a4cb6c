// SPDX-License-Identifier: Apache-2.0
// Automorphisms and base conversion of device `ref`, by the definitions of backend/verbs.h. The code computes one
// coefficient after another.
#pragma once

#include <algorithm>
#include <bit>

#include "backend/backend.h"
#include "backend/ref/arithmetic.h"
#include "math/rns.h"

namespace ringfort::ref {

// Replaces x by x^galois in the coefficient domain, where x^n is -1.
template <class W>
void automorphism_coefficients(W* out, const W* a, u32 n, u32 galois, W q) {
  for (u32 i = 0; i < n; ++i) {
    const u64 power = u64{i} * galois % (2 * n);
    if (power < n) out[power] = a[i];
    else out[power - n] = subtract(W{0}, a[i], q);
  }
}

// Computes the automorphism in the evaluation domain. There, word j is the value at psi^(2 reverse(j) + 1).
// backend/plan.h defines psi.
template <class W>
void automorphism_evaluations(W* out, const W* a, u32 n, u32 galois, W) {
  const u32 bits = static_cast<u32>(std::countr_zero(n));
  for (u32 j = 0; j < n; ++j) {
    const u64 power = u64{2 * reverse_bits(j, bits) + 1} * galois % (2 * n);
    out[j] = a[reverse_bits(static_cast<u32>(power / 2), bits)];
  }
}

template <class W>
W inverse(W a, W q) {  // a^(q - 2), q prime
  W result = 1;
  for (W exponent = q - 2; exponent != 0; exponent >>= 1, a = mul(a, a, q)) {
    if (exponent & 1) result = mul(result, a, q);
  }
  return result;
}

inline bool are_distinct(const std::vector<u128>& moduli, u32 first, u32 count) {
  for (u32 i = first; i < first + count; ++i) {
    if (std::count(moduli.begin() + first, moduli.begin() + first + count, moduli[i]) != 1) return false;
  }
  return true;
}

template <class W>
struct SourceLimbs {  // limb i of a polynomial begins at words + i n
  const W* words;
  const u128* moduli;
  u32 limbs, n;
};

// Returns the product, mod p, of all moduli except the modulus with index `but`.
template <class W>
W product_but(const SourceLimbs<W>& from, u32 but, W p) {
  W product = 1;
  for (u32 i = 0; i < from.limbs; ++i) {
    if (i != but) product = mul(product, static_cast<W>(from.moduli[i] % p), p);
  }
  return product;
}

inline u64 fraction_of(u64 v, u64 q) {  // v / q in units of 2^-56
  const u32 bits = static_cast<u32>(std::bit_width(q));
  const u64 reciprocal = static_cast<u64>((u128{1} << (63 + bits)) / q);
  return static_cast<u64>(u128{v << (64 - bits)} * reciprocal >> 64) >> 7;
}

template <class W>
void convert(W* out, const SourceLimbs<W>& from, W p, Conversion kind) {
  W inverses[kMostLimbs], weights[kMostLimbs];
  for (u32 i = 0; i < from.limbs; ++i) {
    const W q = static_cast<W>(from.moduli[i]);
    inverses[i] = inverse(product_but(from, i, q), q);
    weights[i] = product_but(from, i, p);
  }
  const W whole = product_but(from, from.limbs, p);
  for (u32 c = 0; c < from.n; ++c) {
    W sum = 0;
    u64 fractions = 0;  // in units of 2^-56
    for (u32 i = 0; i < from.limbs; ++i) {
      const W q = static_cast<W>(from.moduli[i]);
      const W v = mul(from.words[std::size_t{i} * from.n + c], inverses[i], q);
      fractions += fraction_of(v, q);
      sum = add(sum, mul(static_cast<W>(v % p), weights[i], p), p);
    }
    const u64 half = u64{1} << 55;
    const u64 k = kind == Conversion::approximate ? 0
                  : kind == Conversion::floor     ? fractions / (2 * half)
                                                  : (fractions + half) / (2 * half);
    out[c] = subtract(sum, mul(static_cast<W>(k % p), whole, p), p);
  }
}

}  // namespace ringfort::ref
