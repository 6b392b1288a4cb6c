// SPDX-License-Identifier: Apache-2.0
// Encryption and decryption (seal/encryptor.h, seal/decryptor.h).
#include "seal/encryptor.h"

#include <algorithm>
#include <cmath>

#include "expand_seed.h"
#include "operands.h"
#include "seal/decryptor.h"

namespace seal {

namespace {

using detail::Access;
using detail::is_ckks;
using detail::taken;
using detail::translated;
using detail::TypesOf;
namespace rf = ringfort;

template <class Object>
auto key_for(const SEALContext& context, const Object& object) {
  return detail::key_for(context, object.context, object.key);
}

template <class Key>
void require_key(const SEALContext& context, const Key& key) {
  (void)detail::state_of(context);
  if (is_valid_for(key, context)) return;
  detail::refuse_argument("the key is not valid for the context",
                          "make both with the same parameters, and leave the words of data() as they are");
}

template <class Key>
void require_set(const Key& key) {
  if (Access::object(key) != nullptr) return;
  detail::refuse_state("the encryptor does not have the key", "call set_public_key or set_secret_key");
}

// Returns a plaintext of zero, for encryption at a level.
template <class Ring>
typename TypesOf<Ring>::Plaintext zero_of(const Ring& ring, std::uint32_t level) {
  if constexpr (is_ckks<Ring>) {
    return rf::ckks::Encoder(ring).encode(std::span<const double>(), {.level = level, .scale = 1.0, .magnitude = {}});
  } else {
    return typename TypesOf<Ring>::Encoder(ring).encode_coefficients({});
  }
}

// Encrypts at the level of `parms_id`, under the key that is not null.
template <class Ring>
typename TypesOf<Ring>::Ciphertext encrypted(const SEALContext& context, const Ring& ring,
                                             const typename TypesOf<Ring>::Plaintext& plain,
                                             std::pair<const detail::PublicObject*, const detail::SecretObject*> keys) {
  using Cryptor = typename TypesOf<Ring>::Encryptor;
  if (keys.second != nullptr) return Cryptor(ring, key_for(context, *keys.second).get()).encrypt(plain);
  return Cryptor(ring, key_for(context, *keys.first).get()).encrypt(plain);
}

}  // namespace

Encryptor::Encryptor(const SEALContext& context, const PublicKey& public_key) : context_(context) {
  set_public_key(public_key);
}
Encryptor::Encryptor(const SEALContext& context, const SecretKey& secret_key) : context_(context) {
  set_secret_key(secret_key);
}
Encryptor::Encryptor(const SEALContext& context, const PublicKey& public_key, const SecretKey& secret_key)
    : context_(context) {
  set_public_key(public_key);
  set_secret_key(secret_key);
}

void Encryptor::set_public_key(const PublicKey& public_key) {
  require_key(context_, public_key);
  public_key_ = public_key;
}
void Encryptor::set_secret_key(const SecretKey& secret_key) {
  require_key(context_, secret_key);
  secret_key_ = secret_key;
}

void Encryptor::encrypt_plain(const Plaintext& plain, bool symmetric, Ciphertext& destination) const {
  symmetric ? require_set(secret_key_) : require_set(public_key_);
  if (!is_valid_for(plain, context_)) detail::refuse_argument("the plaintext is not valid", "encode it again");
  const bool has_scale = detail::has_scale(context_);
  detail::require_form(plain.is_ntt_form(), has_scale);
  translated([&] {
    detail::with_ring(context_, [&](const auto& ring) {
      const typename TypesOf<std::decay_t<decltype(ring)>>::Evaluator evaluator(ring);
      const auto* const public_key = symmetric ? nullptr : Access::object(public_key_);
      const auto* const secret_key = symmetric ? Access::object(secret_key_) : nullptr;
      auto result = encrypted(context_, ring, taken(context_, ring, plain), {public_key, secret_key});
      const std::uint32_t level = has_scale ? detail::level_of(context_, plain.parms_id()) : result.level();
      if (level != result.level()) result = evaluator.mod_switch(result, level);
      Access::set(destination, context_, std::move(result), has_scale ? plain.scale() : 1.0,
                  detail::ciphertext_form(context_));
    });
  });
}

void Encryptor::encrypt_nothing(const parms_id_type& parms_id, bool symmetric, Ciphertext& destination) const {
  symmetric ? require_set(secret_key_) : require_set(public_key_);
  const std::uint32_t level = detail::level_of(context_, parms_id);
  translated([&] {
    detail::with_ring(context_, [&](const auto& ring) {
      const typename TypesOf<std::decay_t<decltype(ring)>>::Evaluator evaluator(ring);
      const auto* const public_key = symmetric ? nullptr : Access::object(public_key_);
      const auto* const secret_key = symmetric ? Access::object(secret_key_) : nullptr;
      auto result = encrypted(context_, ring, zero_of(ring, level), {public_key, secret_key});
      if (level != result.level()) result = evaluator.mod_switch(result, level);
      Access::set(destination, context_, std::move(result), 1.0, detail::ciphertext_form(context_));
    });
  });
}

void Encryptor::encrypt(const Plaintext& plain, Ciphertext& destination, MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  encrypt_plain(plain, false, destination);
}
Serializable<Ciphertext> Encryptor::encrypt(const Plaintext& plain, MemoryPoolHandle pool) const {
  Ciphertext destination;
  encrypt(plain, destination, std::move(pool));
  return destination;
}
void Encryptor::encrypt_zero(Ciphertext& destination, MemoryPoolHandle pool) const {
  encrypt_zero(context_.first_parms_id(), destination, std::move(pool));
}
void Encryptor::encrypt_zero(parms_id_type parms_id, Ciphertext& destination, MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  encrypt_nothing(parms_id, false, destination);
}
Serializable<Ciphertext> Encryptor::encrypt_zero(MemoryPoolHandle pool) const {
  return encrypt_zero(context_.first_parms_id(), std::move(pool));
}
Serializable<Ciphertext> Encryptor::encrypt_zero(parms_id_type parms_id, MemoryPoolHandle pool) const {
  Ciphertext destination;
  encrypt_zero(parms_id, destination, std::move(pool));
  return destination;
}

void Encryptor::encrypt_symmetric(const Plaintext& plain, Ciphertext& destination, MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  encrypt_plain(plain, true, destination);
}
Serializable<Ciphertext> Encryptor::encrypt_symmetric(const Plaintext& plain, MemoryPoolHandle pool) const {
  Ciphertext destination;
  encrypt_symmetric(plain, destination, std::move(pool));
  detail::give_seed(destination, context_, secret_key_);
  return destination;
}
void Encryptor::encrypt_zero_symmetric(Ciphertext& destination, MemoryPoolHandle pool) const {
  encrypt_zero_symmetric(context_.first_parms_id(), destination, std::move(pool));
}
void Encryptor::encrypt_zero_symmetric(parms_id_type parms_id, Ciphertext& destination, MemoryPoolHandle pool) const {
  detail::require_pool(pool);
  encrypt_nothing(parms_id, true, destination);
}
Serializable<Ciphertext> Encryptor::encrypt_zero_symmetric(MemoryPoolHandle pool) const {
  return encrypt_zero_symmetric(context_.first_parms_id(), std::move(pool));
}
Serializable<Ciphertext> Encryptor::encrypt_zero_symmetric(parms_id_type parms_id, MemoryPoolHandle pool) const {
  Ciphertext destination;
  encrypt_zero_symmetric(parms_id, destination, std::move(pool));
  detail::give_seed(destination, context_, secret_key_);
  return destination;
}

Decryptor::Decryptor(const SEALContext& context, const SecretKey& secret_key)
    : context_(context),
      secret_key_(secret_key) {
  require_key(context, secret_key);
}

void Decryptor::decrypt(const Ciphertext& encrypted, Plaintext& destination) {
  detail::require_valid(context_, encrypted);
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context_));
  translated([&] {
    detail::with_ring(context_, [&](const auto& ring) {
      using Ring = std::decay_t<decltype(ring)>;
      const auto key = key_for(context_, *Access::object(secret_key_));
      auto plain = typename TypesOf<Ring>::Decryptor(ring, key).decrypt(taken(context_, ring, encrypted));
      if constexpr (is_ckks<Ring>) {
        const std::size_t words = encrypted.poly_modulus_degree() * encrypted.coeff_modulus_size();
        destination.set_object(
            std::make_shared<const detail::PlaintextObject>(context_.state(), std::move(plain), words, nullptr),
            encrypted.parms_id(), encrypted.scale());
      } else {
        std::vector<std::int64_t> coefficients(encrypted.poly_modulus_degree());
        typename TypesOf<Ring>::Encoder(ring).decode_coefficients(plain, coefficients);
        detail::set_coefficients(destination, coefficients, ring.plain_modulus());
      }
    });
  });
}

int Decryptor::invariant_noise_budget(const Ciphertext& encrypted) {
  detail::require_valid(context_, encrypted);
  if (detail::has_scale(context_)) detail::refuse_state("CKKS has no noise budget", "compare decoded values");
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context_));
  double budget = 0;
  translated([&] {
    detail::with_ring(context_, [&](const auto& ring) {
      using Ring = std::decay_t<decltype(ring)>;
      if constexpr (!is_ckks<Ring>) {
        const auto key = key_for(context_, *Access::object(secret_key_));
        const typename TypesOf<Ring>::Decryptor decryptor(ring, key);
        budget = decryptor.measured_budget_bits(taken(context_, ring, encrypted));
      }
    });
  });
  return budget > 0 ? static_cast<int>(std::floor(budget)) : 0;
}

}  // namespace seal
