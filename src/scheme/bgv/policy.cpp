// SPDX-License-Identifier: Apache-2.0
#include "scheme/bgv/policy.h"

#include <algorithm>

namespace ringfort::integers {

namespace {

using Bgv = Policy<bgv::Scheme>;

Bound modulus(const IntegerRing& ring, Limbs limbs) { return Bound::power_of_two(ring.base().ring.basis().log2_product(limbs)); }

}  // namespace

SchemeNeeds Bgv::needs(const ChainParameters&, u64 t) { return {{}, t}; }

std::vector<Limbs> Bgv::extensions(const KeyContext::State&, u64) { return {}; }

// Q / 2, and a millionth less for the fixed point of `read`.
Bound Bgv::limit(const IntegerRing& ring, u32 level) { return modulus(ring, ring.base().chain.data(level)) * Bound::power_of_two(-1 - 0x1p-20); }

Bound Bgv::added(const IntegerRing& ring) { return ring.base().noise.embedding().any(Bound::of(static_cast<double>(ring.t) / 2)); }

Bound Bgv::fresh(const IntegerRing& ring, bool under_secret) {
  const KeyNoise& noise = ring.base().noise;
  return added(ring) + (under_secret ? noise.fresh_under_secret() : noise.fresh_under_public());
}

Poly<Eval> Bgv::lift_for_sum(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, u64 factor, Workspace& work) {
  const u64 t = ring.t;
  Secret<i64> scaled(coefficients.size());
  std::transform(coefficients.begin(), coefficients.end(), scaled.data(), [&](i64 m) {
    const u64 r = ring.plain.multiply(ring.plain.reduce_signed(m), factor);
    return static_cast<i64>(r - (t & mask_if<u64>(r > t / 2)));
  });
  return lift(ring, scaled.span(), level, work);
}

Claim Bgv::product(const IntegerRing& ring, u32, const Claim& a, const Claim& b) { return {a.error * b.error, ring.plain.multiply(a.factor, b.factor)}; }

Claim Bgv::rescaled(const IntegerRing& ring, const Claim& claim, u32 level, u32 parts) {
  const Limbs group = ring.base().chain.last_group(level);
  return {claim.error / modulus(ring, group) + ring.base().noise.rounding(parts),
          ring.plain.multiply(claim.factor, ring.plain.inverse(product_mod(ring, group, group.end())))};
}

Block Bgv::multiply(const IntegerRing&, const Block& a, const Block& b, Workspace& work, Block&& room) {
  return ringfort::multiply(a, b, work, std::move(room));
}

// The centred phase modulo t, divided by the factor.
void Bgv::read(const IntegerRing& ring, Slice<Eval> phase, u64 factor, Workspace& work, std::span<u64> out) {
  const RnsBasis& basis = ring.base().ring.basis();
  const Limbs limbs = phase.limbs();
  std::vector<u64> factors;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) factors.push_back(basis.punctured_inverse(limbs, limb));
  const Secret<u64> residues = phase_residues(ring, phase, factors, work);
  convert_to_plain(ring, limbs, residues.span(), out);
  const u64 inverse = ring.plain.inverse(factor);
  for (u64& value : out) value = ring.plain.multiply(value, inverse);
}

}  // namespace ringfort::integers
