// SPDX-License-Identifier: Apache-2.0
// The prime field that a transform works in: all powers of its root. Negacyclic: the minimal primitive 2n-th root psi.
// Cyclic: the minimal primitive n-th root omega, which stands for psi^2, so that exponents of psi serve both.
#pragma once

#include <vector>

#include "codegen/roots.h"

namespace ringfort::rpu {

struct TransformField {
  Modulus q;
  u32 n = 0;
  bool negacyclic = true;
  std::vector<u128> powers;  // of psi, or of omega
  u128 inverse_n = 0;

  // psi^exponent, exponent < 2n, even where the transform is cyclic
  [[nodiscard]] u128 power_of(u32 exponent) const { return powers[negacyclic ? exponent : exponent / 2]; }
  // What the reference transform takes: the root of group g of stage s at 2^s + g.
  [[nodiscard]] std::vector<u128> stage_roots() const;
};

// Refuses a modulus that is not a prime = 1 mod 2n (cyclic: mod n).
[[nodiscard]] TransformField make_field(u128 modulus, u32 n, bool negacyclic);

// The lowest `bits` bits in reverse.
[[nodiscard]] u32 reversed(u32 value, u32 bits) noexcept;

// The exponent of psi that belongs to group g of stage s: of the roots +- psi^e that split a polynomial.
[[nodiscard]] u32 stage_exponent(u32 n, u32 stage, u32 group, bool negacyclic) noexcept;

}  // namespace ringfort::rpu
