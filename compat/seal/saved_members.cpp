// SPDX-License-Identifier: Apache-2.0
// The members of saved ciphertexts and keys, in the order of SEAL 4.1. A ciphertext has its parms_id, its form, the
// numbers of components, coefficients and primes, scale, correction factor, and an array of words. If the array has the
// words of one polynomial of two, the seed of the other one follows (expand_seed.h). A public key is a ciphertext, and
// a secret key a plaintext, over all primes. Keys for key switching have for each index a list of public keys, one for
// each digit. Hostile bytes: lengths are compared with those of the parameters before memory is allocated.
#include <algorithm>

#include "bytes.h"
#include "expand_seed.h"
#include "files.h"
#include "operands.h"
#include "ringfort/key_residues.h"

namespace seal::detail {

namespace {

constexpr std::size_t kHeader = sizeof(Serialization::SEALHeader);
constexpr std::size_t kCiphertextHead = sizeof(parms_id_type) + 1 + 5 * sizeof(std::uint64_t);
constexpr std::size_t kPlaintextHead = sizeof(parms_id_type) + 2 * sizeof(std::uint64_t);

std::size_t array_size(std::size_t words) { return kHeader + sizeof(std::uint64_t) * (1 + words); }

// The members of a ciphertext before its words.
struct CiphertextHead {
  parms_id_type id = parms_id_zero;
  bool is_ntt_form = false;
  std::uint64_t size = 0, degree = 0, primes = 0;
  double scale = 1;
  std::uint64_t factor = 1;

  [[nodiscard]] std::size_t polynomial() const { return util::mul_safe<std::size_t>(degree, primes); }
  [[nodiscard]] std::size_t words() const { return util::mul_safe<std::size_t>(size, polynomial()); }
};

void write_head(std::ostream& stream, const CiphertextHead& head) {
  write_value(stream, head.id);
  write_value<std::uint8_t>(stream, head.is_ntt_form ? 1 : 0);
  for (const std::uint64_t number : {head.size, head.degree, head.primes}) write_value(stream, number);
  write_value(stream, head.scale);
  write_value(stream, head.factor);
}

// Before version 4, there is no correction factor.
CiphertextHead read_head(std::istream& stream, const SEALVersion& version) {
  CiphertextHead head;
  head.id = read_value<parms_id_type>(stream);
  head.is_ntt_form = read_value<std::uint8_t>(stream) != 0;
  for (std::uint64_t* number : {&head.size, &head.degree, &head.primes}) *number = read_value<std::uint64_t>(stream);
  head.scale = read_value<double>(stream);
  if (version.major >= 4) head.factor = read_value<std::uint64_t>(stream);
  return head;
}

// Throws std::logic_error unless the numbers are those of parameters of the context.
void require_head(const CiphertextHead& head, const SEALContext& context) {
  const auto data = context.get_context_data(head.id);
  if (!data) throw std::logic_error("the saved object belongs to other parameters than the context");
  const bool fits =
      head.degree == data->parms().poly_modulus_degree() && head.primes == data->parms().coeff_modulus().size() &&
      (head.size == 0 || (head.size >= SEAL_CIPHERTEXT_SIZE_MIN && head.size <= SEAL_CIPHERTEXT_SIZE_MAX));
  if (!fits) throw std::logic_error("the saved object has other numbers of words than its parameters");
}

// Appends the words of a ciphertext to `words`.
void read_words(std::istream& stream, const CiphertextHead& head, const SEALContext& context,
                const SEALVersion& version, std::vector<std::uint64_t>& words) {
  const std::size_t before = words.size();
  append_words(stream, head.words(), words);
  const std::size_t found = words.size() - before;
  if (found == head.words()) return;
  if (head.size != 2 || found != head.polynomial())
    throw std::logic_error("the saved object has another number of words than it states: the bytes are damaged");
  words.resize(before + head.words());
  expand_seed(read_seed(stream, version), context.get_context_data(head.id)->parms(),
              std::span(words).subspan(before + found));
}

// Reads the words of one pair of a key, and appends them.
void read_pair(std::istream& stream, const CiphertextHead& head, const SEALContext& context, const SEALVersion& version,
               std::vector<std::uint64_t>& words) {
  require_head(head, context);
  if (head.id != context.key_parms_id() || !head.is_ntt_form || head.size != 2)
    throw std::logic_error("the saved object is no public key of the parameters of the context");
  read_words(stream, head, context, version, words);
}

void require_key_parameters(const parms_id_type& id, const SEALContext& context) {
  if (context.parameters_set() && id == context.key_parms_id()) return;
  throw std::logic_error("the saved key belongs to other parameters than the context");
}

// Tells whether a program left a part of a key as it was.
bool is_part(const Ciphertext& part, const CiphertextHead& expected) {
  return Access::has_shared_words(part) && std::holds_alternative<std::monostate>(Access::object(part)->value) &&
         part.size() == expected.size && part.poly_modulus_degree() == expected.degree &&
         part.coeff_modulus_size() == expected.primes;
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

// Returns the size of a ciphertext's members.
std::size_t pair_size(const CiphertextHead& head, bool is_seeded) {
  if (!is_seeded) return kCiphertextHead + array_size(head.words());
  return kCiphertextHead + array_size(head.polynomial()) +
         static_cast<std::size_t>(UniformRandomGeneratorInfo::SaveSize(compr_mode_type::none));
}

// Writes the members of a ciphertext. A seed takes the place of the second of two polynomials.
void write_ciphertext(std::ostream& stream, const CiphertextHead& head, std::span<const std::uint64_t> words,
                      const Seed* seed) {
  write_head(stream, head);
  write_words(stream, seed == nullptr ? words : words.first(head.polynomial()));
  if (seed != nullptr) seed->info.save(stream, compr_mode_type::none);
}

// Writes a pair as a saved public key.
void write_pair(std::ostream& stream, const CiphertextHead& head, std::span<const std::uint64_t> words,
                const Seed* seed) {
  Serialization::SEALHeader header;
  header.size = sizeof header + pair_size(head, seed != nullptr);
  Serialization::SaveHeader(header, stream);
  write_ciphertext(stream, head, words, seed);
}

enum class Kind { any, relinearization, galois };  // the keys that an object takes

// Returns whether `count` indices are those of Galois keys. Throws std::logic_error if the object does not take them.
bool is_galois(std::uint64_t count, Kind kind, std::size_t n) {
  if (count == n && kind != Kind::relinearization) return true;
  if (count == 1 && kind != Kind::galois) return false;
  throw std::logic_error("the saved object has " + std::to_string(count) +
                         " lists of keys: a relinearization key has 1, and Galois keys have " + std::to_string(n));
}

// Reads the pairs of one key. Returns their words, or none if there is no key.
std::vector<std::uint64_t> read_key(std::istream& stream, const SEALContext& context) {
  const auto pairs = read_value<std::uint64_t>(stream);
  std::vector<std::uint64_t> words;
  if (pairs == 0) return words;
  if (pairs != context.first_context_data()->parms().coeff_modulus().size())
    throw std::logic_error("a saved key has " + std::to_string(pairs) + " parts, another number than its parameters");
  for (std::uint64_t i = 0; i < pairs; ++i) {
    (void)Serialization::Load(
        [&](std::istream& from, SEALVersion version) {
          read_pair(from, read_head(from, version), context, version, words);
        },
        stream, false);
  }
  return words;
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
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::vector<std::uint64_t> words = read_key(stream, context);
    if (words.empty()) continue;
    translated([&] {
      if (galois) elements.push_back(rf::galois_key_of(keys, static_cast<std::uint32_t>(2 * index + 1), words));
      else object.relinearization.emplace(rf::relinearization_key_of(keys, words));
    });
  }
  object.set(std::move(elements));
  Access::set(to, context, std::move(object));
  Access::resize(to, count);
}

CiphertextHead head_of(const Ciphertext& ciphertext) {
  return {.id = ciphertext.parms_id(),
          .is_ntt_form = ciphertext.is_ntt_form(),
          .size = ciphertext.size(),
          .degree = ciphertext.poly_modulus_degree(),
          .primes = ciphertext.coeff_modulus_size(),
          .scale = ciphertext.scale(),
          .factor = ciphertext.correction_factor()};
}

// Throws std::logic_error for a part of a key, which has no words, and for a changed number of components.
void require_words_to_save(const Ciphertext& ciphertext) {
  const CiphertextObject* object = Access::object(ciphertext);
  if (object != nullptr && std::holds_alternative<std::monostate>(object->value))
    throw std::logic_error("a part of a key has no words to save; save the whole key");
  if (!is_buffer_valid(ciphertext)) throw std::logic_error("a ciphertext has another number of words than it states");
}

void require_words_to_save(const SecretKey& key) {
  const bool is_empty = Access::object(key) == nullptr && key.data().coeff_count() == 0;
  if (!is_empty && !is_buffer_valid(key))
    throw std::logic_error("a program changed the words of a secret key; save the key as it was created or loaded");
}

const Seed* seed_of(const Ciphertext& ciphertext) {
  if (!Access::has_shared_words(ciphertext)) return nullptr;
  const std::optional<Seed>& seed = Access::object(ciphertext)->seed;
  return seed && seed->is_ntt_form == ciphertext.is_ntt_form() ? &*seed : nullptr;
}

}  // namespace

std::size_t members_size(const Ciphertext& ciphertext) {
  require_words_to_save(ciphertext);
  return pair_size(head_of(ciphertext), seed_of(ciphertext) != nullptr);
}

void write_members(std::ostream& stream, const Ciphertext& ciphertext) {
  require_words_to_save(ciphertext);
  const CiphertextHead head = head_of(ciphertext);
  if (!Access::has_shared_words(ciphertext)) {
    write_ciphertext(stream, head, {ciphertext.dyn_array().begin(), ciphertext.dyn_array().size()}, nullptr);
    return;
  }
  const std::vector<std::uint64_t> words = Access::object(ciphertext)->copied_words(ciphertext.is_ntt_form());
  write_ciphertext(stream, head, words, seed_of(ciphertext));
}

void read_members(Ciphertext& to, const SEALContext& context, std::istream& stream, const SEALVersion& version) {
  const CiphertextHead head = read_head(stream, version);
  std::vector<std::uint64_t> words;
  if (head.id != parms_id_zero || head.words() != 0) require_head(head, context);
  read_words(stream, head, context, version, words);
  if (words.empty()) {
    Ciphertext empty;
    if (head.id != parms_id_zero) empty.reserve(context, head.id, 0);
    empty.is_ntt_form() = head.is_ntt_form;
    empty.scale() = head.scale;
    to = std::move(empty);
    return;
  }
  const std::uint32_t level = level_of(context, head.id);
  translated([&] {
    if (!head.is_ntt_form) transform_words(state_of(context), head.primes, true, words);
    CiphertextObject::Value value = with_ring(context, [&](const auto& ring) -> CiphertextObject::Value {
      return ciphertext_of_words(ring, {level, head.scale, head.factor}, words);
    });
    Access::set(to, context, std::move(value), head.scale, head.is_ntt_form);
  });
}

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
  for (std::size_t index = 0; index < keys.data().size(); ++index) {
    const std::size_t pairs = keys.data()[index].size();
    write_value<std::uint64_t>(stream, pairs);
    if (pairs == 0) continue;
    const CiphertextHead head = head_of_list(keys, index);
    const SwitchObject& object = *Access::object(keys);
    const std::vector<std::uint64_t> words = words_of_key(object, index);
    if (words.size() != pairs * head.words()) throw std::logic_error("a key has other words than its parts state");
    for (std::size_t i = 0; i < pairs; ++i) {
      write_pair(stream, head, std::span(words).subspan(i * head.words(), head.words()),
                 object.seeds.empty() ? nullptr : &object.seeds.at(written++));
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

namespace {

// Throws std::logic_error if the program changed the words or the numbers of the key.
CiphertextHead head_of_public(const PublicKey& key) {
  const CiphertextHead head = head_of_pair(key.parms_id(), *Access::object(key)->context);
  if (is_part(key.data(), head)) return head;
  throw std::logic_error("a program changed data() of a public key; create the key again, and copy whole keys");
}

}  // namespace

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
  write_ciphertext(stream, head_of_public(key), object->words(), object->seed ? &*object->seed : nullptr);
}

void read_members(PublicKey& to, const SEALContext& context, std::istream& stream, const SEALVersion& version) {
  const CiphertextHead head = read_head(stream, version);
  std::vector<std::uint64_t> words;
  if (head.id == parms_id_zero && head.words() == 0) {
    append_words(stream, 0, words);
    to = PublicKey();
    return;
  }
  read_pair(stream, head, context, version, words);
  Access::set(to, context, translated([&] { return rf::public_key_of(state_of(context).keys(), words); }));
}

}  // namespace seal::detail
