// SPDX-License-Identifier: Apache-2.0
// Sets the members of keys: the object of Ringfort, and the parameters and sizes that programs see.
#include <algorithm>

#include "errors.h"
#include "objects.h"
#include "plaintext_state.h"
#include "ringfort/key_residues.h"

namespace seal::detail {

namespace {

// Returns the words that data() of a secret key shows.
Words words_of(const SecretObject& object, std::size_t count) {
  Words words(count, MemoryManager::GetPool(mm_force_new, true));
  rf::residues(object.key, {words.begin(), words.size()});
  return words;
}

}  // namespace

// A join takes time for all keys in it. Neighbours are joined, so that each key is in log2(sets) joins.
void SwitchObject::set(std::vector<rf::GaloisKeys>&& sets) {
  while (sets.size() > 1) {
    std::vector<rf::GaloisKeys> joined;
    for (std::size_t i = 0; i + 1 < sets.size(); i += 2)
      translated([&] { joined.push_back(sets[i].joined(sets[i + 1])); });
    if (sets.size() % 2 != 0) joined.push_back(std::move(sets.back()));
    sets = std::move(joined);
  }
  if (!sets.empty()) galois.emplace(std::move(sets.front()));
}

std::vector<std::uint64_t> words_of_key(const SwitchObject& object, std::size_t index) {
  return translated([&] {
    if (object.relinearization) return rf::residues(*object.relinearization);
    return rf::residues(*object.galois, static_cast<std::uint32_t>(2 * index + 1));
  });
}

void read_polynomial(const SwitchObject& object, std::size_t index, std::size_t polynomial,
                     std::span<std::uint64_t> to) {
  translated([&] {
    if (object.relinearization) return rf::residues(*object.relinearization, polynomial, to);
    rf::residues(*object.galois, static_cast<std::uint32_t>(2 * index + 1), polynomial, to);
  });
}

void Access::set(SecretKey& to, const SEALContext& context, rf::SecretKey&& key) {
  auto object = std::make_shared<SecretObject>(SecretObject{context.state(), std::move(key)});
  const EncryptionParameters& parms = context.key_context_data()->parms();
  const std::size_t count = parms.poly_modulus_degree() * parms.coeff_modulus().size();
  const auto shown = std::make_shared<const PlaintextObject>(context.state(), std::monostate{}, count,
                                                             [object, count] { return words_of(*object, count); });
  object->shown = shown;  // weak, because `shown` holds the object
  to.sk_ = Plaintext(MemoryManager::GetPool(mm_force_new, true));
  to.sk_.set_object(shown, context.key_parms_id(), 1.0);
  to.object_ = std::move(object);
}

bool Access::shows_its_words(const SecretKey& of) {
  const auto shown = of.sk_.object();
  return of.object_ && shown && shown == of.object_->shown.lock();
}

void require_unchanged(const std::vector<PublicKey>& key) {
  for (const PublicKey& part : key) {
    if (Access::has_changed_words(part.data()))
      refuse_argument("a program changed the words of a key", "leave the words of data() as they are");
  }
}

void Access::set(PublicKey& to, const SEALContext& context, rf::PublicKey&& key, std::optional<Seed>&& seed) {
  const auto object =
      std::make_shared<const PublicObject>(PublicObject{context.state(), std::move(key), std::move(seed)});
  to.pk_ = part_of_key(context, [object](std::size_t component, std::span<std::uint64_t> words) {
    rf::residues(object->key, component, words);
  });
  to.object_ = object;
}

void Access::set(KSwitchKeys& to, const SEALContext& context, SwitchObject&& object) {
  object.context = context.state();
  const auto shared = std::make_shared<const SwitchObject>(std::move(object));
  const std::size_t digits = context.first_context_data()->parms().coeff_modulus().size();
  const auto parts_of = [&](std::size_t index) {
    std::vector<PublicKey> parts(digits);
    for (std::size_t digit = 0; digit < digits; ++digit) {
      parts[digit].pk_ = part_of_key(context, [=](std::size_t component, std::span<std::uint64_t> words) {
        read_polynomial(*shared, index, 2 * digit + component, words);
      });
    }
    return parts;
  };
  to.parms_id_ = context.key_parms_id();
  to.keys_.clear();
  if (shared->relinearization) to.keys_.assign(1, parts_of(0));
  if (shared->galois) {
    to.keys_.resize(context.key_context_data()->parms().poly_modulus_degree());
    for (const std::uint32_t element : rf::elements(*shared->galois))
      to.keys_[GaloisKeys::get_index(element)] = parts_of(GaloisKeys::get_index(element));
  }
  to.object_ = shared;
}

}  // namespace seal::detail
