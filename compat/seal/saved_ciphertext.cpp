// SPDX-License-Identifier: Apache-2.0
// The members of saved ciphertexts, in the order of SEAL 4.1: the parms_id, the form, the numbers of components,
// coefficients and primes, scale, correction factor, and the words (saved_ciphertext.h).
#include "saved_ciphertext.h"

#include <algorithm>

#include "operands.h"

namespace seal::detail {

namespace {

constexpr std::size_t kCiphertextHead = sizeof(parms_id_type) + 1 + 5 * sizeof(std::uint64_t);

void write_head(std::ostream& stream, const CiphertextHead& head) {
  write_value(stream, head.id);
  write_value<std::uint8_t>(stream, head.is_ntt_form ? 1 : 0);
  for (const std::uint64_t number : {head.size, head.degree, head.primes}) write_value(stream, number);
  write_value(stream, head.scale);
  write_value(stream, head.factor);
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

// Returns the seed of the second polynomial. A program may have changed the first one.
const Seed* seed_of(const Ciphertext& ciphertext) {
  const CiphertextObject* object = Access::object(ciphertext);
  if (object == nullptr || !object->seed || object->seed->is_ntt_form != ciphertext.is_ntt_form()) return nullptr;
  if (Access::has_shared_words(ciphertext)) return &*object->seed;
  const Words &shown = ciphertext.dyn_array(), &seeded = object->words(ciphertext.is_ntt_form());
  const std::size_t first = seeded.size() / 2;
  const bool is_kept = shown.size() == seeded.size() &&
                       std::equal(shown.begin() + first, shown.end(), seeded.begin() + first, seeded.end());
  return is_kept ? &*object->seed : nullptr;
}

}  // namespace

CiphertextHead read_head(std::istream& stream, const SEALVersion& version) {
  CiphertextHead head;
  head.id = read_value<parms_id_type>(stream);
  head.is_ntt_form = read_value<std::uint8_t>(stream) != 0;
  for (std::uint64_t* number : {&head.size, &head.degree, &head.primes}) *number = read_value<std::uint64_t>(stream);
  head.scale = read_value<double>(stream);
  if (version.major >= 4) head.factor = read_value<std::uint64_t>(stream);
  return head;
}

void require_head(const CiphertextHead& head, const SEALContext& context) {
  const auto data = context.get_context_data(head.id);
  if (!data) throw std::logic_error("the saved object belongs to other parameters than the context");
  const bool fits =
      head.degree == data->parms().poly_modulus_degree() && head.primes == data->parms().coeff_modulus().size() &&
      (head.size == 0 || (head.size >= SEAL_CIPHERTEXT_SIZE_MIN && head.size <= SEAL_CIPHERTEXT_SIZE_MAX));
  if (!fits) throw std::logic_error("the saved object has other numbers of words than its parameters");
}

void read_words(std::istream& stream, const CiphertextHead& head, const SEALContext& context,
                const SEALVersion& version, ReadWords& words) {
  const std::size_t before = words.size();
  // A seed gives as many words as there are before it.
  words.reserve(before + std::min<std::size_t>(head.words(), 2 * available(stream) / sizeof(std::uint64_t)));
  append_words(stream, head.words(), words);
  const std::size_t found = words.size() - before;
  if (found == head.words()) return;
  if (head.size != 2 || found != head.polynomial())
    throw std::logic_error("the saved object has another number of words than it states: the bytes are damaged");
  words.resize(before + head.words());
  expand_seed(read_seed(stream, version), context.get_context_data(head.id)->parms(),
              std::span(words).subspan(before + found));
}

std::size_t pair_size(const CiphertextHead& head, bool is_seeded) {
  if (!is_seeded) return kCiphertextHead + array_size(head.words());
  return kCiphertextHead + array_size(head.polynomial()) +
         static_cast<std::size_t>(UniformRandomGeneratorInfo::SaveSize(compr_mode_type::none));
}

void write_ciphertext(std::ostream& stream, const CiphertextHead& head, const Components& components,
                      const Seed* seed) {
  write_head(stream, head);
  const std::size_t count = seed == nullptr ? head.size : 1;
  write_array_head(stream, count * head.polynomial());
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const std::uint64_t> words = components(i);
    write_raw(stream, words.data(), words.size_bytes());
  }
  if (seed != nullptr) seed->info.save(stream, compr_mode_type::none);
}

std::size_t members_size(const Ciphertext& ciphertext) {
  require_words_to_save(ciphertext);
  return pair_size(head_of(ciphertext), seed_of(ciphertext) != nullptr);
}

void write_members(std::ostream& stream, const Ciphertext& ciphertext) {
  require_words_to_save(ciphertext);
  const CiphertextHead head = head_of(ciphertext);
  if (!Access::has_shared_words(ciphertext)) {
    const auto owned = [&](std::size_t i) {
      return std::span(ciphertext.dyn_array().begin() + i * head.polynomial(), head.polynomial());
    };
    return write_ciphertext(stream, head, owned, seed_of(ciphertext));
  }
  ReadWords words(head.polynomial());
  const auto read = [&](std::size_t i) -> std::span<const std::uint64_t> {
    Access::object(ciphertext)->read_component(i, head.is_ntt_form, words);
    return words;
  };
  write_ciphertext(stream, head, read, seed_of(ciphertext));
}

void read_members(Ciphertext& to, const SEALContext& context, std::istream& stream, const SEALVersion& version) {
  const CiphertextHead head = read_head(stream, version);
  ReadWords words;
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
    CiphertextObject::Value value = with_ring(context, [&](const auto& ring) -> CiphertextObject::Value {
      return ciphertext_of_words(ring, {level, head.scale, head.factor, head.is_ntt_form}, words);
    });
    Access::set(to, context, std::move(value), head.scale, head.is_ntt_form);
  });
}

}  // namespace seal::detail
