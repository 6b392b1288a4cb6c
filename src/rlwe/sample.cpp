// SPDX-License-Identifier: Apache-2.0
// Makes encryptions of zero for CKKS, BFV and BGV (sample.h).
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

// Writes the small polynomial of an address to `poly`. For the purpose encryption_r, it is ternary. For all other
// purposes, it is an error times f.
Slice<Eval> ZeroSampler::small(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const {
  const bool ternary = address.purpose == Purpose::encryption_r;
  if (ternary) sample_ternary(seed, address, work_.small.span());
  else sample_cbd21(seed, address, work_.small.span());
  upload_small(ring_, poly, work_.small.span(), work_);
  if (!ternary && factor_ != 1) ring_.multiply_scalar(work_.stream, poly, poly, factor_);
  return ring_.forward(work_.stream, std::move(poly));
}

void ZeroSampler::under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const {
  const Slice<Eval> c0 = row.polynomials(0, 1), c1 = row.polynomials(1, 1);
  const Scratch<Coeff> sample = work_.allocate_secret<Coeff>(1, row.limbs());
  const Slice<Eval> sum = small(sample.all(), seeds.hidden, {.purpose = Purpose::error_0, .digit = digit});
  ring_.expand_uniform(work_.stream, c1, seeds.open, 0, digit);
  ring_.negate(work_.stream, sum, sum);
  ring_.multiply_add(work_.stream, sum, c1, secret);  // the product is never in memory without its error
  ring_.negate(work_.stream, c0, sum);
}

void ZeroSampler::under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const {
  const Slice<Eval> c0 = row.polynomials(0, 1), c1 = row.polynomials(1, 1);
  const Scratch<Coeff> randomness = work_.allocate_secret<Coeff>(1, row.limbs()),
                       sample = work_.allocate_secret<Coeff>(1, row.limbs());
  const Slice<Eval> r = small(randomness.all(), hidden, {.purpose = Purpose::encryption_r});
  const auto write_component = [&](Slice<Eval> to, Slice<Eval> factor, Purpose purpose) {
    const Slice<Eval> sum = small(sample.all(), hidden, {.purpose = purpose});
    ring_.multiply_add(work_.stream, sum, factor, r);  // the product is never in memory without its error
    ring_.copy(work_.stream, to, sum);
  };
  write_component(c0, key.polynomials(0, 1), Purpose::error_0);
  write_component(c1, key.polynomials(1, 1), Purpose::error_1);
}

}  // namespace ringfort
