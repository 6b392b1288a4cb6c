// SPDX-License-Identifier: Apache-2.0
#include "rlwe/sample.h"

#include <algorithm>

namespace ringfort {

void upload_small(const Ring& ring, Slice<Coeff> to, std::span<const i8> coefficients, Workspace& work) {
  std::copy(coefficients.begin(), coefficients.end(), work.lifted.data());
  ring.upload_signed(work.stream, to, std::span<const i64>(work.lifted.span()), work.staging);
}

Poly<Eval> load_small(const Ring& ring, Limbs limbs, std::span<const i8> coefficients, Workspace& work) {
  auto poly = ring.make<Coeff>(1, limbs);
  upload_small(ring, poly.all(), coefficients, work);
  return ring.forward(work.stream, std::move(poly));
}

// Scratch polynomial `slot` becomes the small polynomial of an address: ternary for encryption_r, else an error times f.
Slice<Eval> ZeroSampler::small(u32 slot, Limbs limbs, const SecretSeed& seed, const StreamAddress& address) const {
  const bool ternary = address.purpose == Purpose::encryption_r;
  if (ternary) sample_ternary(seed, address, work_.small.span());
  else sample_cbd21(seed, address, work_.small.span());
  const Slice<Coeff> poly = work_.take<Coeff>(Room::samples, 3, limbs).part(slot, 1);
  upload_small(ring_, poly, work_.small.span(), work_);
  if (!ternary && factor_ != 1) ring_.multiply_scalar(work_.stream, poly, poly, factor_);
  return ring_.forward(work_.stream, Slice<Coeff>(poly));
}

void ZeroSampler::under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const {
  const Slice<Eval> c0 = row.part(0, 1), c1 = row.part(1, 1);
  const Slice<Eval> error = small(0, row.limbs(), seeds.hidden, {Purpose::error_0, 0, 0, digit});
  ring_.expand_uniform(work_.stream, c1, seeds.open, 0, digit);
  ring_.multiply(work_.stream, c0, c1, secret);
  ring_.sub(work_.stream, c0, error, c0);
}

void ZeroSampler::under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const {
  const Limbs limbs = row.limbs();
  const Slice<Eval> mask = small(0, limbs, hidden, {Purpose::encryption_r, 0, 0, 0});
  const Slice<Eval> e0 = small(1, limbs, hidden, {Purpose::error_0, 0, 0, 0}), e1 = small(2, limbs, hidden, {Purpose::error_1, 0, 0, 0});
  ring_.multiply(work_.stream, row, key, mask);
  ring_.add(work_.stream, row.part(0, 1), row.part(0, 1), e0);
  ring_.add(work_.stream, row.part(1, 1), row.part(1, 1), e1);
}

}  // namespace ringfort
