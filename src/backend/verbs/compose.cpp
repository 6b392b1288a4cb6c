// SPDX-License-Identifier: Apache-2.0
// Composes the optional verbs from required verbs. These compositions define the results bit for bit.
#include "backend/verbs.h"

namespace ringfort::verb {

namespace {

// Returns one factor for each limb of `limbs`: value(modulus of the limb, index of the limb). `into` owns the factors.
template <class F>
std::span<const u128> keep_factors(Sequence& into, const RnsBasis& basis, Limbs limbs, F value) {
  std::vector<u128> factors;
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) factors.push_back(value(basis[limb], limb));
  return into.factors.emplace_back(std::move(factors));
}

}  // namespace

void InnerProduct::compose(Sequence& into) const {
  for (u32 r = 0; r < rows; ++r) {
    for (u32 c = 0; c < columns; ++c) {
      const View to = out.polynomial(std::size_t{r} * columns + c);
      for (u32 k = 0; k < inner; ++k) {
        const View x = a.polynomial(std::size_t{r} * inner + k), y = b.polynomial(std::size_t{k} * columns + c);
        if (k == 0 && !accumulate) into.verbs.emplace_back(Multiply{to, x, y});
        else into.verbs.emplace_back(MultiplyAdd{to, x, y});
      }
    }
  }
}

// Composes the division. The inverse transform works in place, and `a` must not change. Therefore the transform works
// on a copy of the dropped limbs. If t = `plain` is not 1, the product by t^(-1) already makes this copy. In the
// coefficient domain with t = 1, nothing changes the dropped limbs, and no copy is made.
void ModDown::compose(Sequence& into) const {
  const RnsBasis& basis = a.plan->basis;
  const Limbs away = dropped();
  const bool evaluation = domain == Domain::evaluation, scaled = plain != 1;
  View from = a.in(away);
  if (scaled) {
    into.verbs.emplace_back(MultiplyScalar{
        scratch, from,
        keep_factors(into, basis, away, [&](const Modulus<u64>& p, u32) { return p.inverse(p.reduce(plain)); })});
  } else if (evaluation) {
    into.verbs.emplace_back(Copy{scratch, from});
  }
  if (scaled || evaluation) from = scratch;
  if (evaluation) into.verbs.emplace_back(Intt{from});
  into.verbs.emplace_back(BaseConvert{out, from, Conversion::centred});
  if (scaled)
    into.verbs.emplace_back(MultiplyScalar{
        out, out, keep_factors(into, basis, out.limbs, [&](const Modulus<u64>& q, u32) { return q.reduce(plain); })});
  if (evaluation) into.verbs.emplace_back(Ntt{out});
  into.verbs.emplace_back(Subtract{out, a.in(out.limbs), out});
  const View quotients = quotient();
  into.verbs.emplace_back(
      MultiplyScalar{quotients, out, keep_factors(into, basis, out.limbs, [&](const Modulus<u64>&, u32 limb) {
                       return basis.product_inverse(away, limb);
                     })});
  if (adds()) {
    const View sums = quotients.polynomials(0, addend.batch);
    into.verbs.emplace_back(Add{sums, sums, addend});
  }
  if (galois != 1) into.verbs.emplace_back(Automorphism{out, quotients, galois, domain});
}

void ModDownRescale::compose(Sequence& into) const {
  for (const ModDown& division : divisions()) into.verbs.emplace_back(division);
}

void GadgetProduct::compose(Sequence& into) const {
  into.verbs.emplace_back(Decompose{digits, a, gadget});
  into.verbs.emplace_back(Ntt{digits});
  into.verbs.emplace_back(inner_product());
}

void ModUp::compose(Sequence& into) const {
  const Limbs all = digits.limbs;
  for (u32 p = 0; p < a.batch; ++p) {
    for (u32 d = 0; d < count(); ++d) {
      const View to = digits.polynomial(std::size_t{p} * count() + d);
      const Limbs digit_limbs = digit(d), here = common(digit_limbs, all);
      const View from = coefficients.polynomial(p).in(digit_limbs);
      for (const Limbs others : {common(all, {0, digit_limbs.first}), common(all, {digit_limbs.end(), all.end()})}) {
        if (others.count == 0) continue;
        into.verbs.emplace_back(BaseConvert{to.in(others), from, Conversion::centred});
        into.verbs.emplace_back(Ntt{to.in(others)});
      }
      if (here.count != 0) into.verbs.emplace_back(Copy{to.in(here), a.polynomial(p).in(here)});
    }
  }
}

// Composes the key switch for as many limbs at a time as `digits` has.
void KeySwitch::compose(Sequence& into) const {
  for (u32 first = out.limbs.first; first < out.limbs.end(); first += digits.limbs.count) {
    const KeySwitch fitting = in(common(out.limbs, {first, digits.limbs.count}));
    into.verbs.emplace_back(fitting.mod_up());
    into.verbs.emplace_back(fitting.inner_product());
  }
}

void Tensor::compose(Sequence& into) const {
  for (std::size_t pair = 0; pair < a.batch / 2; ++pair) {
    const View a0 = a.polynomial(2 * pair), a1 = a.polynomial(2 * pair + 1), b0 = b.polynomial(2 * pair),
               b1 = b.polynomial(2 * pair + 1);
    const View middle = out.polynomial(3 * pair + 1);
    into.verbs.emplace_back(Multiply{out.polynomial(3 * pair), a0, b0});
    into.verbs.emplace_back(Multiply{middle, a0, b1});
    into.verbs.emplace_back(MultiplyAdd{middle, a1, b0});
    into.verbs.emplace_back(Multiply{out.polynomial(3 * pair + 2), a1, b1});
  }
}

void Polymul::compose(Sequence& into) const {
  into.verbs.emplace_back(Ntt{a});
  into.verbs.emplace_back(Ntt{b});
  into.verbs.emplace_back(Multiply{out, a, b});
  into.verbs.emplace_back(Intt{out});
}

}  // namespace ringfort::verb
