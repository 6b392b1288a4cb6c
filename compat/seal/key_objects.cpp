// SPDX-License-Identifier: Apache-2.0
// Sets the members of keys: the object of Ringfort, and the parameters and sizes that programs see.
#include <algorithm>

#include "objects.h"
#include "plaintext_state.h"

namespace seal::detail {

namespace {

// Returns the word that data() of a secret key shows: the identity, which public keys also carry.
Words identity_of(const SecretObject& object) {
  const rf::KeyGenerator generator(object.context->keys(), rf::SecretKey(object.key.state()));
  Words words(1);
  words[0] = generator.create_public_key().key_id();
  return words;
}

}  // namespace

void Access::set(SecretKey& to, const SEALContext& context, rf::SecretKey&& key) {
  auto object = std::make_shared<const SecretObject>(SecretObject{context.state(), std::move(key)});
  to.sk_.set_object(std::make_shared<const PlaintextObject>(context.state(), std::monostate{}, 1,
                                                            [object] { return identity_of(*object); }),
                    context.key_parms_id(), 1.0);
  to.object_ = std::move(object);
}

Ciphertext Access::part_of_key(const SEALContext& context) {
  Ciphertext part;
  set(part, context, std::monostate{}, 1.0, true);
  return part;
}

void Access::set(PublicKey& to, const SEALContext& context, rf::PublicKey&& key) {
  to.pk_ = part_of_key(context);
  to.object_ = std::make_shared<const PublicObject>(PublicObject{context.state(), std::move(key)});
}

void Access::set(KSwitchKeys& to, const SEALContext& context, SwitchObject&& object) {
  PublicKey part;
  part.pk_ = part_of_key(context);
  const std::vector<PublicKey> key(context.first_context_data()->parms().coeff_modulus().size(), part);
  to.parms_id_ = context.key_parms_id();
  to.keys_.clear();
  if (object.relinearization) to.keys_.assign(1, key);
  if (!object.elements.empty()) to.keys_.resize(context.key_context_data()->parms().poly_modulus_degree());
  for (const std::uint32_t element : object.elements) to.keys_[GaloisKeys::get_index(element)] = key;
  object.context = context.state();
  to.object_ = std::make_shared<const SwitchObject>(std::move(object));
}

}  // namespace seal::detail
