// SPDX-License-Identifier: Apache-2.0
// Makes keys and encryptions of zero for Ring-GSW (zero.h).
#include "rlwe/zero.h"

#include <algorithm>

namespace ringfort {

Secret<i8> sample_secret(u32 n, const SecretSeed& seed) {
  Secret<i8> coefficients(n);
  sample_ternary(seed, {.purpose = Purpose::secret_key}, coefficients.span());
  return coefficients;
}

// Draws the small polynomial of (purpose, at), and writes it in the coefficient domain to the scratch memory, as the
// polynomial with number `slot`.
void Sampler::upload_error(u32 slot, Purpose purpose, const SampleSeeds& seeds, const SampleAddress& at,
                           SmallLift lift) const {
  const StreamAddress address{purpose, at.object, 0, at.digit};
  if (purpose == Purpose::encryption_r) sample_ternary(seeds.hidden, address, work_.small.span());
  else sample_cbd21(seeds.hidden, address, work_.small.span());
  lift.small = work_.small.span();
  ring_.upload_small(work_.stream, small_.polynomials(slot, 1), lift, work_.staging);
}

RlweSecret Sampler::load(Secret<i8>&& coefficients) const {
  RlweSecret secret;
  auto poly = ring_.make_secret<Coeff>(1, ring_.limbs());
  ring_.upload_small(work_.stream, poly.all(), {coefficients.span()}, work_.staging);
  secret.ntt_form = ring_.forward(work_.stream, std::move(poly));
  secret.coefficients = std::move(coefficients);
  return secret;
}

RlwePublic Sampler::make_public(const RlweSecret& secret) const {
  RlwePublic key{{}, ring_.make_key<Eval>(2, ring_.limbs())};
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  under_secret(key.polynomials.all(), secret, seeds, {}, {});
  key.seed = seeds.open;
  key.polynomials.keep_contents();
  return key;
}

void Sampler::under_secret(Slice<Eval> row, const RlweSecret& secret, const SampleSeeds& seeds, const SampleAddress& at,
                           const Message& message) const {
  upload_error(0, Purpose::error_0, seeds, at,
               {.small = {}, .addend = message.c0_addend, .mask = message.c0_mask, .constant = message.c0_constant});
  const Slice<Eval> sum = ring_.forward(work_.stream, small_.polynomials(0, 1));
  const Slice<Eval> c0 = row.polynomials(0, 1), c1 = row.polynomials(1, 1);
  ring_.expand_uniform(work_.stream, c1, seeds.open, at.object, at.digit);
  ring_.multiply_add(work_.stream, sum, c1, secret.ntt_form.all());  // the product is never in memory without its error
  ring_.copy(work_.stream, c0, sum);
}

void Sampler::under_public(Slice<Eval> row, const RlwePublic& key, const SampleSeeds& seeds, const SampleAddress& at,
                           const Message& message) const {
  upload_error(0, Purpose::encryption_r, seeds, at, {});
  upload_error(1, Purpose::error_0, seeds, at, {.small = {}, .constant = message.c0_constant});
  upload_error(2, Purpose::error_1, seeds, at, {.small = {}, .constant = message.c1_constant});
  const Slice<Eval> hats = ring_.forward(work_.stream, small_.polynomials(0, 3));
  ring_.multiply_add(work_.stream, hats.polynomials(1, 2), key.polynomials.all(), hats.polynomials(0, 1));
  ring_.copy(work_.stream, row, hats.polynomials(1, 2));
}

}  // namespace ringfort
