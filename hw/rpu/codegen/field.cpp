// SPDX-License-Identifier: Apache-2.0
// Computes the powers of the root of unity, and for every butterfly the exponent of its root.
#include "codegen/field.h"

namespace ringfort::rpu {

u32 reversed(u32 value, u32 bits) noexcept {
  u32 result = 0;
  for (u32 i = 0; i < bits; ++i) result |= ((value >> i) & 1U) << (bits - 1 - i);
  return result;
}

u32 stage_exponent(u32 n, u32 stage, u32 group, bool negacyclic) noexcept {
  return (2 * reversed(group, stage) + (negacyclic ? 1 : 0)) * (n >> (stage + 1));
}

std::vector<u128> TransformField::stage_roots() const {
  std::vector<u128> roots{1};
  for (u32 stage = 0; (1U << stage) < n; ++stage)
    for (u32 group = 0; group < (1U << stage); ++group)
      roots.push_back(power_of(stage_exponent(n, stage, group, negacyclic)));
  return roots;
}

TransformField make_field(u128 modulus, u32 n, bool negacyclic) {
  TransformField field{Modulus(modulus), n, negacyclic, {}, 0};
  const u32 order = negacyclic ? 2 * n : n;
  const u128 root = minimal_root(field.q, order / 2);
  u128 value = 1;
  for (u32 i = 0; i < order; ++i) {
    field.powers.push_back(value);
    value = field.q.multiply(value, root);
  }
  field.inverse_n = power(field.q, n, modulus - 2);
  return field;
}

}  // namespace ringfort::rpu
