// SPDX-License-Identifier: Apache-2.0
// The members of saved keys, in the order of SEAL 4.1. A public key is a ciphertext, and a secret key a plaintext, over
// all primes. Keys for key switching have for each index a list of public keys, one for each digit.
#include <algorithm>

#include "operands.h"
#include "ringfort/key_residues.h"
#include "saved_ciphertext.h"

namespace seal::detail {

namespace {

constexpr std::size_t kPlaintextHead = sizeof(parms_id_type) + 2 * sizeof(std::uint64_t);

// Reads the words of one pair of a key.
void read_pair(std::istream& stream, const CiphertextHead& head, const SEALContext& context, const SEALVersion& version,
               ReadWords& words) {
  require_head(head, context);
  if (head.id != context.key_parms_id() || !head.is_ntt_form || head.size != 2)
    throw std::logic_error("the saved object is no public key of the parameters of the context");
  words.clear();
  read_words(stream, head, context, version, words);
}

void require_key_parameters(const parms_id_type& id, const SEALContext& context) {
  if (context.parameters_set() && id == context.key_parms_id()) return;
  throw std::logic_error("the saved key belongs to other parameters than the context");
}

// Tells whether a program left a part of a key as it was.
bool is_part(const Ciphertext& part, const CiphertextHead& expected) {
  const CiphertextObject* object = Access::object(part);
  return object != nullptr && object->key_words && !Access::has_changed_words(part) && part.size() == expected.size &&
         part.poly_modulus_degree() == expected.degree && part.coeff_modulus_size() == expected.primes;
}

bool has_key(const SwitchObject& object, std::size_t index) {
  if (object.relinearization) return index == 0;
  if (!object.galois) return false;
  const std::vector<std::uint32_t> elements = rf::elements(*object.galois);
  return std::find(elements.begin(), elements.end(), 2 * index + 1) != elements.end();
}

// The numbers of a pair over all primes.
CiphertextHead head_of_pair(const parms_id_type& id, const ContextState& state) {
  const rf::ChainParameters& chain = state.keys().chain();
  return {
      .id = id, .is_ntt_form = true, .size = 2, .degree = chain.n, .primes = chain.data.size() + chain.special.size()};
}

// The numbers of the pairs in one list. Programs may change the lists, but not the words. Throws std::logic_error
// unless the list is empty or is that of a key of the object.
CiphertextHead head_of_list(const KSwitchKeys& keys, std::size_t index) {
  const std::vector<PublicKey>& list = keys.data()[index];
  if (list.empty()) return {};
  const SwitchObject* object = Access::object(keys);
  if (object != nullptr && has_key(*object, index)) {
    const CiphertextHead head = head_of_pair(keys.parms_id(), *object->context);
    const auto is_unchanged = [&](const PublicKey& part) {
      return Access::object(part) == nullptr && is_part(part.data(), head);
    };
    if (list.size() == object->context->keys().chain().data.size() &&
        std::all_of(list.begin(), list.end(), is_unchanged))
      return head;
  }
  throw std::logic_error("list " + std::to_string(index) +
                         " of a key for key switching is not the list of its key; copy whole keys, not lists or parts");
}

// Writes a pair as a saved public key.
void write_pair(std::ostream& stream, const CiphertextHead& head, const Components& pair, const Seed* seed) {
  Serialization::SEALHeader header;
  header.size = sizeof header + pair_size(head, seed != nullptr);
  Serialization::SaveHeader(header, stream);
  write_ciphertext(stream, head, pair, seed);
}

enum class Kind { any, relinearization, galois };  // the keys that an object takes

// Returns whether `count` indices are those of Galois keys. Throws std::logic_error if the object does not take them.
bool is_galois(std::uint64_t count, Kind kind, std::size_t n) {
  if (count == n && kind != Kind::relinearization) return true;
  if (count == 1 && kind != Kind::galois) return false;
  throw std::logic_error("the saved object has " + std::to_string(count) +
                         " lists of keys: a relinearization key has 1, and Galois keys have " + std::to_string(n));
}

// Reads the number of the pairs of one key. Returns whether there is a key.
bool read_count(std::istream& stream, const SEALContext& context) {
  const auto pairs = read_value<std::uint64_t>(stream);
  if (pairs != 0 && pairs != context.first_context_data()->parms().coeff_modulus().size())
    throw std::logic_error("a saved key has " + std::to_string(pairs) + " parts, another number than its parameters");
  return pairs != 0;
}

void read_switch_keys(KSwitchKeys& to, const SEALContext& context, std::istream& stream, Kind kind) {
  const rf::KeyContext& keys = state_of(context).keys();
  const BoundedMembers bounded(stream);
  const auto id = read_value<parms_id_type>(stream);
  const auto count = read_value<std::uint64_t>(stream);
  if (count == 0 && id == parms_id_zero) {
    to = KSwitchKeys();
    return;
  }
  require_key_parameters(id, context);
  const bool galois = count != 0 && is_galois(count, kind, keys.chain().n);
  SwitchObject object;
  std::vector<rf::GaloisKeys> elements;
  ReadWords words;
  const rf::PairSource next = [&]() -> std::span<const std::uint64_t> {
    (void)Serialization::Load(
        [&](std::istream& from, SEALVersion version) {
          read_pair(from, read_head(from, version), context, version, words);
        },
        stream, false);
    return words;
  };
  for (std::uint64_t index = 0; index < count; ++index) {
    if (!read_count(stream, context)) continue;
    translated([&] {
      if (galois) elements.push_back(rf::galois_key_of(keys, static_cast<std::uint32_t>(2 * index + 1), next));
      else object.relinearization.emplace(rf::relinearization_key_of(keys, next));
    });
  }
  object.set(std::move(elements));
  Access::set(to, context, std::move(object));
  Access::resize(to, count);
}

void require_words_to_save(const SecretKey& key) {
  const bool is_empty = Access::object(key) == nullptr && key.data().coeff_count() == 0;
  if (!is_empty && !is_buffer_valid(key))
    throw std::logic_error("a program changed the words of a secret key; save the key as it was created or loaded");
}

// Throws std::logic_error if the program changed the words or the numbers of the key.
CiphertextHead head_of_public(const PublicKey& key) {
  const CiphertextHead head = head_of_pair(key.parms_id(), *Access::object(key)->context);
  if (is_part(key.data(), head)) return head;
  throw std::logic_error("a program changed data() of a public key; create the key again, and copy whole keys");
}

}  // namespace

std::size_t members_size(const SecretKey& key) {
  require_words_to_save(key);
  return kPlaintextHead + array_size(key.data().coeff_count());
}

void write_members(std::ostream& stream, const SecretKey& key) {
  require_words_to_save(key);
  const SecretObject* object = Access::object(key);
  WipedVector<std::uint64_t> words(key.data().coeff_count());
  if (object != nullptr) translated([&] { rf::residues(object->key, words); });
  write_value(stream, key.parms_id());
  write_value<std::uint64_t>(stream, words.size());
  write_value(stream, key.data().scale());
  write_words(stream, words);
}

void read_members(SecretKey& to, const SEALContext& context, std::istream& stream, const SEALVersion&) {
  const auto id = read_value<parms_id_type>(stream);
  const auto count = read_value<std::uint64_t>(stream);
  (void)read_value<double>(stream);
  if (count != 0) require_key_parameters(id, context);
  const std::size_t expected = count == 0 ? 0 : head_of_pair(id, state_of(context)).polynomial();
  WipedVector<std::uint64_t> words;
  append_words(stream, expected, words);
  if (count != expected || words.size() != expected)
    throw std::logic_error("the saved secret key has another number of words than its parameters");
  if (count == 0) {
    to = SecretKey();
    return;
  }
  Access::set(to, context, translated([&] { return rf::secret_key_of(state_of(context).keys(), words); }));
}

std::size_t members_size(const KSwitchKeys& keys) {
  const bool is_seeded = Access::object(keys) != nullptr && !Access::object(keys)->seeds.empty();
  std::size_t size = sizeof(parms_id_type) + sizeof(std::uint64_t) * (1 + keys.data().size());
  for (std::size_t index = 0; index < keys.data().size(); ++index) {
    const CiphertextHead head = head_of_list(keys, index);
    size += util::mul_safe(keys.data()[index].size(), kHeader + pair_size(head, is_seeded));
  }
  return size;
}

void write_members(std::ostream& stream, const KSwitchKeys& keys) {
  write_value(stream, keys.parms_id());
  write_value<std::uint64_t>(stream, keys.data().size());
  std::size_t written = 0;
  ReadWords words;
  for (std::size_t index = 0; index < keys.data().size(); ++index) {
    const std::size_t pairs = keys.data()[index].size();
    write_value<std::uint64_t>(stream, pairs);
    if (pairs == 0) continue;
    const CiphertextHead head = head_of_list(keys, index);
    const SwitchObject& object = *Access::object(keys);
    words.resize(head.polynomial());
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto read = [&](std::size_t component) -> std::span<const std::uint64_t> {
        read_polynomial(object, index, 2 * i + component, words);
        return words;
      };
      write_pair(stream, head, read, object.seeds.empty() ? nullptr : &object.seeds.at(written++));
    }
  }
}

void read_members(KSwitchKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion&) {
  read_switch_keys(to, context, stream, Kind::any);
}
void read_members(RelinKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion&) {
  read_switch_keys(to, context, stream, Kind::relinearization);
}
void read_members(GaloisKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion&) {
  read_switch_keys(to, context, stream, Kind::galois);
}

std::size_t members_size(const PublicKey& key) {
  const PublicObject* object = Access::object(key);
  return object == nullptr ? members_size(key.data()) : pair_size(head_of_public(key), object->seed.has_value());
}

void write_members(std::ostream& stream, const PublicKey& key) {
  const PublicObject* object = Access::object(key);
  if (object == nullptr) {
    write_members(stream, key.data());
    return;
  }
  const CiphertextHead head = head_of_public(key);
  ReadWords words(head.polynomial());
  const auto read = [&](std::size_t component) -> std::span<const std::uint64_t> {
    translated([&] { rf::residues(object->key, component, words); });
    return words;
  };
  write_ciphertext(stream, head, read, object->seed ? &*object->seed : nullptr);
}

void read_members(PublicKey& to, const SEALContext& context, std::istream& stream, const SEALVersion& version) {
  const CiphertextHead head = read_head(stream, version);
  ReadWords words;
  if (head.id == parms_id_zero && head.words() == 0) {
    append_words(stream, 0, words);
    to = PublicKey();
    return;
  }
  read_pair(stream, head, context, version, words);
  Access::set(to, context, translated([&] { return rf::public_key_of(state_of(context).keys(), words); }));
}

}  // namespace seal::detail
