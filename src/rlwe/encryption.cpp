// SPDX-License-Identifier: Apache-2.0
// Makes encryptions of zero, and computes the phases c0 + c1 s (+ c2 s^2 ..) of ciphertexts (encryption.h).
#include "rlwe/encryption.h"

namespace ringfort {

RlweCiphertext encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *secret.context;
  const Limbs data = c.chain.data(level);
  require_secure(c, data);
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  RlweCiphertext out = make_ciphertext(secret.context, secret.id, level, 2, std::move(reuse));
  ZeroSampler(c.ring, c.needs.error_factor, work).under_secret(out.all(), secret.ntt_form.all().limbs(data), seeds, 0);
  out.origin = Origin::fresh_secret;
  out.seed = seeds.open;
  return out;
}

RlweCiphertext encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *key.context;
  const SecretSeed hidden = fresh_secret_seed();
  RlweCiphertext out = make_ciphertext(key.context, key.id, level, 2, std::move(reuse));
  const ZeroSampler sampler(c.ring, c.needs.error_factor, work);
  out.origin = key.origin();
  if (out.origin == Origin::fresh_public_divided)
    sampler.under_public_divided(out.all(), key.pair.first(2, c.chain.under_public(level)), hidden);
  else sampler.under_public(out.all(), key.pair.first(2, c.chain.data(level)), hidden);
  return out;
}

Scratch<Eval> phase(const RlweCiphertext& a, const SecretKey::State& secret, u32 level, Workspace& work) {
  const Ring& ring = a.context->ring;
  const Slice<Eval> components = a.at_level(level), s = secret.ntt_form.all().limbs(components.limbs());
  Scratch<Eval> scratch = work.allocate_secret<Eval>(1, components.limbs(), a.context->chain.data());
  const Slice<Eval> sum = scratch.all();
  ring.multiply(work.stream, sum, components.polynomials(a.components - 1, 1), s);  // Horner's rule
  for (u32 i = a.components - 1; i-- > 0;) {
    ring.add(work.stream, sum, sum, components.polynomials(i, 1));
    if (i != 0) ring.multiply(work.stream, sum, sum, s);
  }
  return scratch;
}

}  // namespace ringfort
