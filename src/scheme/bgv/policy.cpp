// SPDX-License-Identifier: Apache-2.0
// The code of BGV that differs from BFV (policy.h). Let t be the modulus of plaintexts, and Q the modulus of a
// ciphertext.
#include "scheme/bgv/policy.h"

#include <algorithm>

#include "rlwe/arithmetic.h"

namespace ringfort::integers {

namespace {

using Bgv = Policy<bgv::Scheme>;

bgv::NoiseGrowth bounds(const IntegerRing& ring) { return {ring.base().p.n, ring.t}; }

}  // namespace

SchemeNeeds Bgv::needs(const ChainParameters&, u64 t) { return {.auxiliary = {}, .error_factor = t}; }

std::vector<Limbs> Bgv::extensions(const KeyContext::State&, u64) { return {}; }

// Returns Q / 2, reduced by about a millionth because read() rounds fixed-point numbers.
Bound Bgv::limit(const IntegerRing& ring, u32 level) {
  return Bound::power_of_two(bgv::NoiseGrowth::largest(ring.log2_modulus(ring.base().chain.data(level))) - 0x1p-20);
}

Bound Bgv::of_phase(const IntegerRing&, u32, Bound error) { return error; }

Bound Bgv::added(const IntegerRing& ring, u32) { return bounds(ring).message(); }

Bound Bgv::fresh(const IntegerRing& ring, u32, Origin origin) {
  return bounds(ring).message() + ring.base().noise.fresh(origin);
}

Poly<Eval> Bgv::lift_for_sum(const IntegerRing& ring, std::span<const i64> coefficients, u32 level, u64 factor,
                             Workspace& work) {
  multiply_centred(work.lifted.span(), coefficients, ring.plain, factor);
  return lift(ring, work.lifted.span(), level, work);
}

NoiseBound Bgv::product(const IntegerRing& ring, u32, const Factor& a, const Factor& b, std::size_t) {
  return {a.bound.error * b.bound.error, ring.plain.multiply(a.bound.factor, b.bound.factor)};
}

NoiseBound Bgv::rescaled(const IntegerRing& ring, const NoiseBound& bound, u32 level, u32 components) {
  const Limbs group = ring.base().chain.last_group(level);
  return {bounds(ring).mod_switched(bound.error, ring.log2_modulus(group), components),
          ring.plain.multiply(bound.factor, inverse_modulo_plain(product_mod(ring, group, group.end()), ring.t))};
}

RlweCiphertext Bgv::multiply(const IntegerRing&, const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                             RlweCiphertext&& reuse) {
  return ringfort::multiply(a, b, work, std::move(reuse));
}

void Bgv::add_product(const IntegerRing&, RlweCiphertext& sum, const Product& p, Workspace& work) {
  if (p.by.x != 1) sum = multiply_scalar(sum, residues_of(p.by.x, sum), work);
  if (p.by.y == 1) return add_product_to(sum, *p.a, *p.b, work);
  add_product_to(sum, multiply_scalar(*p.a, residues_of(p.by.y, *p.a), work), *p.b, work);
}

RlweCiphertext Bgv::inner_product(const IntegerRing& ring, std::span<const Product> products, Workspace& work) {
  RlweCiphertext sum = multiply(ring, *products[0].a, *products[0].b, work, {});
  for (const Product& p : products.subspan(1)) add_product(ring, sum, p, work);
  return sum;
}

// Reduces the centred phase modulo t, divides it by the correction factor, and writes the result.
void Bgv::read(const IntegerRing& ring, Slice<Eval> phase, u64 factor, Workspace& work, std::span<u64> out) {
  const RnsBasis& basis = ring.base().ring.basis();
  const Limbs limbs = phase.limbs();
  std::vector<u64> factors;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) factors.push_back(basis.punctured_inverse(limbs, limb));
  const Secret<u64> residues = phase_residues(ring, phase, factors, work);
  convert_to_plain(ring, limbs, residues.span(), inverse_modulo_plain(factor, ring.t), out);
}

}  // namespace ringfort::integers
