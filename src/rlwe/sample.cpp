// SPDX-License-Identifier: Apache-2.0
#include "rlwe/sample.h"

namespace ringfort {

void upload_small(const Ring& ring, Slice<Coeff> to, std::span<const i8> coefficients, Workspace& work) {
  ring.lift(work.stream, to, coefficients);
}

Poly<Eval> load_small(const Ring& ring, Limbs limbs, std::span<const i8> coefficients, Workspace& work) {
  auto poly = ring.make_secret<Coeff>(1, limbs);
  upload_small(ring, poly.all(), coefficients, work);
  return ring.forward(work.stream, std::move(poly));
}

// `poly` becomes the small polynomial of an address: ternary for encryption_r, else an error times f.
Slice<Eval> ZeroSampler::small(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const {
  const bool ternary = address.purpose == Purpose::encryption_r;
  if (ternary) sample_ternary(seed, address, work_.small.span());
  else sample_cbd21(seed, address, work_.small.span());
  upload_small(ring_, poly, work_.small.span(), work_);
  if (!ternary && factor_ != 1) ring_.multiply_scalar(work_.stream, poly, poly, factor_);
  return ring_.forward(work_.stream, std::move(poly));
}

void ZeroSampler::under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const {
  const Slice<Eval> c0 = row.part(0, 1), c1 = row.part(1, 1);
  const Scratch<Coeff> sample = work_.take_secret<Coeff>(1, row.limbs());
  const Slice<Eval> error = small(sample.all(), seeds.hidden, {Purpose::error_0, 0, 0, digit});
  ring_.expand_uniform(work_.stream, c1, seeds.open, 0, digit);
  ring_.multiply(work_.stream, c0, c1, secret);
  ring_.sub(work_.stream, c0, error, c0);
}

void ZeroSampler::under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const {
  const Slice<Eval> c0 = row.part(0, 1), c1 = row.part(1, 1);
  const Scratch<Coeff> sample = work_.take_secret<Coeff>(1, row.limbs());   // the three in turn
  ring_.multiply(work_.stream, row, key, small(sample.all(), hidden, {Purpose::encryption_r, 0, 0, 0}));
  ring_.add(work_.stream, c0, c0, small(sample.all(), hidden, {Purpose::error_0, 0, 0, 0}));
  ring_.add(work_.stream, c1, c1, small(sample.all(), hidden, {Purpose::error_1, 0, 0, 0}));
}

}  // namespace ringfort
