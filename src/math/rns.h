// SPDX-License-Identifier: Apache-2.0
// RnsBasis is a list of primes below 2^62 with constants. In a residue number system (RNS), the residues modulo such
// primes represent an integer. Three computations use the constants: base conversion to other primes (the formulas are
// in backend/verbs.h), the division by dropped primes, and the composition of integers from residues by mixed radix
// [Garner59]. Arguments are ranges of neighbouring primes. Only the constructor, and functions that return a vector,
// allocate memory.
#pragma once

#include <span>
#include <vector>

#include "math/modulus.h"

namespace ringfort {

inline constexpr u32 kMostLimbs = 128;  // limit of one conversion: a sum of 128 fractions of 56 bits has 63 bits

class RnsBasis {
 public:
  RnsBasis() = default;
  explicit RnsBasis(std::span<const u128> primes);

  [[nodiscard]] u32 size() const noexcept { return static_cast<u32>(moduli_.size()); }
  [[nodiscard]] const Modulus<u64>& operator[](u32 limb) const noexcept { return moduli_[limb]; }
  // Returns q_of^(-1) mod q_in, or 0 if the two primes are equal.
  [[nodiscard]] u64 inverse(u32 of, u32 in) const noexcept { return inverses_[std::size_t{of} * size() + in]; }
  [[nodiscard]] bool is_distinct(Limbs limbs) const noexcept;

  // These functions return constants. Q is the product of `from`.
  [[nodiscard]] u64 fraction(u32 limb) const noexcept { return fractions_[limb]; }  // floor(2^(63 + bit_length(q)) / q)
  // Returns (Q / q)^(-1) mod q, where q is the prime of a limb of `from`.
  [[nodiscard]] u64 punctured_inverse(Limbs from, u32 limb) const noexcept;
  [[nodiscard]] u64 product(Limbs from, u32 in) const noexcept;  // Q mod q_in
  // Returns Q^(-1) mod q_in. `in` is not in `from`.
  [[nodiscard]] u64 product_inverse(Limbs from, u32 in) const noexcept;
  void punctured_products(Limbs from, u32 in, std::span<u64> out) const noexcept;  // sets out[i] = Q / q_i mod q_in

  [[nodiscard]] double log2_product(Limbs limbs) const noexcept;
  // Returns Q as little-endian words without leading zeros.
  [[nodiscard]] std::vector<u64> product_words(Limbs limbs) const;

  // Composes residues [limb][coefficient] to their representatives in [-Q/2, Q/2]. The representatives must be below
  // 2^127. No branch depends on a residue.
  void compose_centred(Limbs limbs, std::span<const u64> residues, std::span<i128> out) const noexcept;
  // Returns the representative in [0, Q) of one coefficient. It has as many words as product_words().
  [[nodiscard]] std::vector<u64> compose_words(Limbs limbs, std::span<const u64> residues) const;

 private:
  [[nodiscard]] u64 mixed_digit(Limbs limbs, std::span<const u64> digits, u64 residue) const noexcept;
  std::vector<Modulus<u64>> moduli_;
  std::vector<u64> inverses_, fractions_;
};

}  // namespace ringfort
