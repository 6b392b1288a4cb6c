// SPDX-License-Identifier: Apache-2.0
// Division by dropped primes from required verbs, as ModDown says. A product by t^(-1) makes the copy of the dropped limbs that
// leaves `a` as it is; without t, the coefficient domain needs none.
#include <array>

#include "runtime/open_device.h"

namespace ringfort {

namespace {

using Factors = std::array<u128, kMostLimbs>;

// factors[i] = value(modulus of limb i, its number)
template <class F>
std::span<const u128> fill(Factors& factors, const RnsBasis& basis, Limbs limbs, F value) {
  for (u32 i = 0; i < limbs.count; ++i) factors[i] = value(basis[limbs.first + i], limbs.first + i);
  return std::span(factors).first(limbs.count);
}

bool is_supported(const ModDown& m, const RnsBasis& basis) {
  const Limbs all{m.a.first_limb, m.a.limbs}, dropped = m.dropped();
  if (all.count > kMostLimbs || all.end() > basis.size() || !basis.is_distinct(all)) return false;
  for (u32 i = dropped.first; i < dropped.end(); ++i) {
    if (basis[i].reduce(m.plain) == 0) return false;
  }
  return true;
}

}  // namespace

void OpenDevice::mod_down(Stream s, const ModDown& m, const RnsBasis& basis, u32 n) const {
  const Status fused = backend_->mod_down(s, m);
  if (fused != Status::declined) return check(fused, "mod_down");
  const Limbs dropped = m.dropped(), kept{m.out.first_limb, m.out.limbs};
  if (dropped.count == 0) return check(Status::internal, "mod_down");
  if (!is_supported(m, basis)) return check(Status::unsupported, "mod_down");
  const bool evaluation = m.domain == Domain::evaluation, plain = m.plain != 1;
  const auto then = [&](Status status) { check(status, "mod_down"); };
  Factors factors;
  View from = limbs_of(m.a, dropped, n);
  if (evaluation || plain) {
    then(backend_->multiply_scalar(s, m.scratch, from, fill(factors, basis, dropped, [&](const Modulus<u64>& p, u32) { return p.inverse(p.reduce(m.plain)); })));
    from = m.scratch;
  }
  if (evaluation) then(backend_->intt(s, from));
  then(backend_->base_convert(s, m.out, from, Conversion::centred));
  if (plain) then(backend_->multiply_scalar(s, m.out, m.out, fill(factors, basis, kept, [&](const Modulus<u64>& q, u32) { return q.reduce(m.plain); })));
  if (evaluation) then(backend_->ntt(s, m.out));
  then(backend_->sub(s, m.out, limbs_of(m.a, kept, n), m.out));
  then(backend_->multiply_scalar(s, m.out, m.out, fill(factors, basis, kept, [&](const Modulus<u64>&, u32 limb) { return basis.product_inverse(dropped, limb); })));
}

}  // namespace ringfort
