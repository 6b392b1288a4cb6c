// SPDX-License-Identifier: Apache-2.0
// The prime field of a transform, with the powers of its root. A negacyclic transform serves products of polynomials
// modulo x^n + 1. Its root is psi, the minimal primitive 2n-th root of unity: psi^n = -1. A cyclic transform serves
// products modulo x^n - 1. Its root is omega, the minimal primitive n-th root of unity. An exponent is always the
// exponent of psi. In a cyclic transform, omega takes the place of psi^2, and all exponents are even. hw/rpu/README.md
// explains the terms.
#pragma once

#include <vector>

#include "codegen/roots.h"

namespace ringfort::rpu {

struct TransformField {
  Modulus q;
  u32 n = 0;
  bool negacyclic = true;
  std::vector<u128> powers;  // all powers of psi, or all powers of omega
  u128 inverse_n = 0;

  // Returns psi^exponent for exponent < 2n. In a cyclic transform the exponent must be even.
  [[nodiscard]] u128 power_of(u32 exponent) const { return powers[negacyclic ? exponent : exponent / 2]; }
  // Returns the roots for the reference transform (roots.h). The root of group g of stage s is at index 2^s + g.
  [[nodiscard]] std::vector<u128> stage_roots() const;
};

// Throws Refusal if the modulus is not a prime that is 1 mod 2n (cyclic: 1 mod n).
[[nodiscard]] TransformField make_field(u128 modulus, u32 n, bool negacyclic);

// Returns the lowest `bits` bits in reverse order.
[[nodiscard]] u32 reversed(u32 value, u32 bits) noexcept;

// Returns the exponent e for which the butterflies of group g of stage s multiply by psi^e. Stage s has 2^s groups; all
// butterflies of a group have the same root.
[[nodiscard]] u32 stage_exponent(u32 n, u32 stage, u32 group, bool negacyclic) noexcept;

}  // namespace ringfort::rpu
