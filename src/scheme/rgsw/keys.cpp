// SPDX-License-Identifier: Apache-2.0
// Makes secret and public keys of Ring-GSW (keys.h).
#include "scheme/rgsw/keys.h"

#include "math/word.h"
#include "rlwe/keys.h"

namespace ringfort::rgsw {

SecretKey make_secret_key(const SharedContext& context, Secret<i8>&& coefficients) {
  const Parameters& p = context->p;
  auto state = std::make_shared<SecretKey::State>();
  state->context = context;
  state->negated_multiples = Secret<u64>(std::size_t{p.digits} * p.n);
  for (u32 j = 0; j < p.digits; ++j) {
    const u64 g = context->gadget_values[j];
    for (u32 i = 0; i < p.n; ++i) {  // -g t for t in {-1, 0, 1}; masks select the value, without a branch
      const u64 plus = mask_if<u64>(coefficients.data()[i] == 1), minus = mask_if<u64>(coefficients.data()[i] == -1);
      state->negated_multiples.data()[std::size_t{j} * p.n + i] = (plus & (p.q - g)) | (minus & g);
    }
  }
  const auto work = context->workspace();
  state->secret = Sampler(context->ring, *work).load(std::move(coefficients));
  return SecretKey(std::move(state));
}

void require_public_mode(const Parameters& p) {
  if (p.public_key_allowed) return;
  throw Error(Code::mode_forbidden, "preset '" + p.name + "' has too small a noise budget for public-key encryption",
              "encrypt with the secret key, or use gsw128");
}

KeyGenerator::KeyGenerator(const Context& context)
    : KeyGenerator(context,
                   make_secret_key(context.state(), sample_secret(context.parameters().n, fresh_secret_seed()))) {}

KeyGenerator::KeyGenerator(const Context& context, SecretKey&& secret) : context_(context), secret_(std::move(secret)) {
  require_same(context_.state(), secret_.state()->context, "KeyGenerator");
}

PublicKey KeyGenerator::create_public_key() const {
  const Context::State& c = *context_.state();
  require_public_mode(c.p);
  const auto work = c.workspace();
  auto state = std::make_shared<PublicKey::State>();
  state->context = context_.state();
  state->key = Sampler(c.ring, *work).make_public(secret_.state()->secret);
  return PublicKey(std::move(state));
}

SecretKey::SecretKey(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;
const std::shared_ptr<const SecretKey::State>& SecretKey::state() const {
  require_unmoved(state_ != nullptr, "secret key");
  return state_;
}

PublicKey::PublicKey(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;
const std::shared_ptr<const PublicKey::State>& PublicKey::state() const {
  require_unmoved(state_ != nullptr, "public key");
  return state_;
}

}  // namespace ringfort::rgsw
