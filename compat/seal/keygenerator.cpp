// SPDX-License-Identifier: Apache-2.0
// Key generation (seal/keygenerator.h).
#include "seal/keygenerator.h"

#include <algorithm>

#include "expand_seed.h"
#include "galois_elements.h"
#include "operands.h"
#include "ringfort/key_residues.h"

namespace seal {

namespace {

using detail::Access;
using detail::translated;
namespace rf = ringfort;

rf::KeyGenerator generator_of(const SEALContext& context, const SecretKey& secret_key) {
  const detail::SecretObject& object = *Access::object(secret_key);
  const detail::Held<rf::SecretKey> key = detail::key_for(context, object.context, object.key);
  return rf::KeyGenerator(detail::state_of(context).keys(), rf::SecretKey(key.get().state()));
}

void require_key_switching(const SEALContext& context) {
  if (context.using_keyswitching()) return;
  detail::refuse_state("the parameters have no prime for key switching", "give coeff_modulus two or more primes");
}

std::vector<std::uint32_t> elements_of(const std::vector<int>& steps, std::size_t n) {
  std::vector<std::uint32_t> elements(steps.size());
  std::transform(steps.begin(), steps.end(), elements.begin(), [n](int step) { return detail::element_of(step, n); });
  return elements;
}

void create_keys(const SEALContext& context, const SecretKey& secret_key, const std::vector<std::uint32_t>& elements,
                 GaloisKeys& destination) {
  require_key_switching(context);
  translated([&] {
    detail::SwitchObject object;
    const rf::KeyGenerator generator = generator_of(context, secret_key);
    if (!elements.empty())
      object.galois = rf::create_element_keys(detail::state_of(context).keys(), generator.secret_key(), elements);
    Access::set(destination, context, std::move(object));
  });
}

}  // namespace

KeyGenerator::KeyGenerator(const SEALContext& context) : context_(context) {
  translated([&] {
    const rf::KeyGenerator generator(detail::state_of(context).keys());
    Access::set(secret_key_, context, rf::SecretKey(generator.secret_key().state()));
  });
}

KeyGenerator::KeyGenerator(const SEALContext& context, const SecretKey& secret_key)
    : context_(context),
      secret_key_(secret_key) {
  (void)detail::state_of(context);
  if (is_valid_for(secret_key, context)) return;
  detail::refuse_argument("the secret key is not valid for the context",
                          "make both with the same parameters, and leave the words of data() as they are");
}

void KeyGenerator::create_public_key(PublicKey& destination) const {
  translated([&] { Access::set(destination, context_, generator_of(context_, secret_key_).create_public_key()); });
}

Serializable<PublicKey> KeyGenerator::create_public_key() const {
  PublicKey key;
  create_public_key(key);
  detail::give_seed(key, context_, secret_key_);
  return key;
}

void KeyGenerator::create_relin_keys(RelinKeys& destination) {
  require_key_switching(context_);
  translated([&] {
    detail::SwitchObject object;
    object.relinearization.emplace(generator_of(context_, secret_key_).create_relinearization_key());
    Access::set(destination, context_, std::move(object));
  });
}

Serializable<RelinKeys> KeyGenerator::create_relin_keys() {
  RelinKeys keys;
  create_relin_keys(keys);
  detail::give_seeds(keys, context_, secret_key_);
  return keys;
}

void KeyGenerator::create_galois_keys(const std::vector<std::uint32_t>& galois_elts, GaloisKeys& destination) {
  require_key_switching(context_);
  create_keys(context_, secret_key_, galois_elts, destination);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys(const std::vector<std::uint32_t>& galois_elts) {
  GaloisKeys keys;
  create_galois_keys(galois_elts, keys);
  detail::give_seeds(keys, context_, secret_key_);
  return keys;
}

void KeyGenerator::create_galois_keys(const std::vector<int>& steps, GaloisKeys& destination) {
  detail::require_batching(context_);
  create_keys(context_, secret_key_, elements_of(steps, detail::degree_of(context_)), destination);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys(const std::vector<int>& steps) {
  GaloisKeys keys;
  create_galois_keys(steps, keys);
  detail::give_seeds(keys, context_, secret_key_);
  return keys;
}

void KeyGenerator::create_galois_keys(GaloisKeys& destination) {
  const std::size_t n = detail::degree_of(context_);
  create_keys(context_, secret_key_, elements_of(detail::default_steps(n), n), destination);
}

Serializable<GaloisKeys> KeyGenerator::create_galois_keys() {
  GaloisKeys keys;
  create_galois_keys(keys);
  detail::give_seeds(keys, context_, secret_key_);
  return keys;
}

}  // namespace seal
