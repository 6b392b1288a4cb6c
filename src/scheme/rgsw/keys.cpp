// SPDX-License-Identifier: Apache-2.0
#include "scheme/rgsw/keys.h"

#include "math/word.h"

namespace ringfort::rgsw {

SecretKey make_secret_key(const SharedContext& context, Secret<i8>&& coefficients) {
  const Parameters& p = context->p;
  auto state = std::make_unique<SecretKey::State>();
  state->context = context;
  state->negated_multiples = Secret<u64>(std::size_t{p.digits} * p.n);
  for (u32 j = 0; j < p.digits; ++j) {
    const u64 g = context->gadget_values[j];
    for (u32 i = 0; i < p.n; ++i) {                                  // -g t for t in {-1, 0, 1}, by masks
      const u64 plus = mask_if<u64>(coefficients.data()[i] == 1), minus = mask_if<u64>(coefficients.data()[i] == -1);
      state->negated_multiples.data()[std::size_t{j} * p.n + i] = (plus & (p.q - g)) | (minus & g);
    }
  }
  SampleScratch scratch(context->ring);
  state->secret = Sampler(context->ring, Stream{}, scratch).load(std::move(coefficients));
  return SecretKey(std::move(state));
}

void require_public_mode(const Parameters& p) {
  if (p.public_key_allowed) return;
  throw Error(Code::mode_forbidden, "preset '" + p.name + "' has too little noise room for public-key encryption",
              "encrypt with the secret key, or use gsw128");
}

SecretKey generate_secret_key(const Context& context) {
  const SecretSeed seed = fresh_secret_seed();
  return make_secret_key(context.state(), sample_secret(context.parameters().n, seed));
}

PublicKey generate_public_key(const Context& context, const SecretKey& key) {
  require_same(context.state(), key.state().context, "generate_public_key");
  require_public_mode(context.parameters());
  SampleScratch scratch(context.state()->ring);
  auto state = std::make_unique<PublicKey::State>();
  state->context = context.state();
  state->key = Sampler(context.state()->ring, Stream{}, scratch).make_public(key.state().secret);
  return PublicKey(std::move(state));
}

SecretKey::SecretKey(std::unique_ptr<const State> state) noexcept : state_(std::move(state)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;

PublicKey::PublicKey(std::unique_ptr<const State> state) noexcept : state_(std::move(state)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;

}  // namespace ringfort::rgsw
