// SPDX-License-Identifier: Apache-2.0
// The members of saved ciphertexts and keys. All begin with the parms_id; a flag tells whether a file of Ringfort
// follows. Hostile bytes: lengths are checked where bytes are read, and the file's decoder checks everything else.
#include <sstream>

#include "bytes.h"
#include "files.h"
#include "galois_elements.h"
#include "operands.h"

namespace seal::detail {

namespace {

template <class T>
void append(std::string& head, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  head.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool read_flag(std::istream& stream) {
  const auto flag = read_value<std::uint8_t>(stream);
  if (flag > 1) throw std::logic_error("a flag of the saved object is neither 0 nor 1: the bytes are damaged");
  return flag != 0;
}

SavedMembers members(const parms_id_type& id) {
  SavedMembers saved;
  append(saved.head, id);
  return saved;
}

void append_file(SavedMembers& saved, rf::io::SecretBytes&& file) {
  append(saved.head, static_cast<std::uint64_t>(file.view().size()));
  saved.file = std::move(file);
}

rf::io::Scope scope_of(const ContextState& state) {
  return with_ring_of(state, [](const auto& ring) { return rf::io::Scope(ring); });
}
rf::io::Scope scope_of(const SEALContext& context) { return scope_of(state_of(context)); }

rf::io::Bytes encode(const CiphertextObject& object, const Ciphertext& ciphertext) {
  return with_ring_of(*object.context, [&](const auto& ring) {
    return rf::io::encode_ciphertext(ring, with_words(ring, *object.context, ciphertext));
  });
}

CiphertextObject::Value decode(const SEALContext& context, const std::vector<std::uint8_t>& bytes) {
  return with_ring(context,
                   [&](const auto& ring) -> CiphertextObject::Value { return rf::io::decode_ciphertext(ring, bytes); });
}

std::size_t primes_of(const std::monostate&) noexcept { return 0; }
template <class Value>
std::size_t primes_of(const Value& value) noexcept {
  return std::size_t{value.level()} + 1;
}

// Throws std::logic_error unless the object is saved for parameters of the context.
void require_key_parameters(const parms_id_type& id, const SEALContext& context) {
  if (context.parameters_set() && id == context.key_parms_id()) return;
  throw std::logic_error("the saved key belongs to other parameters than the context");
}

enum class Kind { any, relinearization, galois };  // the keys that an object takes

// Members before the file of key-switching keys.
struct SwitchHead {
  std::vector<std::uint32_t> elements{};
  bool has_relinearization = false, has_galois = false;
};

// Elements ascend, so that bytes name no element twice.
std::vector<std::uint32_t> read_elements(std::istream& stream, std::size_t n) {
  const auto count = read_value<std::uint64_t>(stream);
  std::vector<std::uint32_t> elements;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto element = read_value<std::uint32_t>(stream);
    if (element % 2 == 0 || element / 2 >= n)
      throw std::logic_error("the saved keys name a number that is no Galois element");
    if (!elements.empty() && element <= elements.back())
      throw std::logic_error("the saved keys name Galois elements twice, or not in ascending order");
    elements.push_back(element);
  }
  return elements;
}

void require_kind(const SwitchHead& head, Kind kind) {
  const bool is_galois = head.has_galois || !head.elements.empty();
  if (is_galois && head.has_relinearization) throw std::logic_error("the saved keys claim to be of two kinds");
  if (is_galois && kind == Kind::relinearization)
    throw std::logic_error("the bytes are Galois keys; load them into GaloisKeys");
  if (head.has_relinearization && kind == Kind::galois)
    throw std::logic_error("the bytes are a relinearization key; load it into RelinKeys");
}

// Throws std::logic_error unless every name has its key.
void require_keys(const std::vector<std::uint32_t>& elements, const rf::KeyPlan& plan, std::size_t n) {
  if (elements.empty()) return;
  const std::vector<bool> names = names_of(plan, n);
  for (const std::uint32_t element : elements) {
    if (names[element / 2]) continue;
    throw std::logic_error("the saved keys name the Galois element " + std::to_string(element) +
                           ", for which they have no key");
  }
}

void read_switch_keys(KSwitchKeys& to, const SEALContext& context, std::istream& stream, Kind kind) {
  const std::size_t n = state_of(context).keys().chain().n;
  const auto id = read_value<parms_id_type>(stream);
  SwitchHead head{.elements = read_elements(stream, n)};
  head.has_relinearization = read_flag(stream);
  head.has_galois = read_flag(stream);
  require_kind(head, kind);
  if (!head.has_relinearization && !head.has_galois && head.elements.empty()) {
    to = KSwitchKeys();
    return;
  }
  require_key_parameters(id, context);
  SwitchObject object;
  if (head.has_relinearization || head.has_galois) {
    const std::vector<std::uint8_t> bytes = read_bytes(stream);
    translated([&] {
      const rf::io::Scope scope = scope_of(context);
      if (head.has_galois) object.galois.emplace(rf::io::decode_galois_keys(scope, bytes));
      if (head.has_relinearization) object.relinearization.emplace(rf::io::decode_relinearization_key(scope, bytes));
    });
  }
  require_keys(head.elements, object.galois ? object.galois->plan() : rf::KeyPlan(), n);
  object.elements = std::move(head.elements);
  Access::set(to, context, std::move(object));
}

}  // namespace

void SavedMembers::write(std::ostream& stream) const {
  write_raw(stream, head.data(), head.size());
  write_raw(stream, file.view().data(), file.view().size());
}

std::streamoff size_of(const SavedMembers& members, compr_mode_type compr_mode) {
  return util::safe_cast<std::streamoff>(
      util::add_safe(sizeof(Serialization::SEALHeader), Serialization::ComprSizeEstimate(members.size(), compr_mode)));
}

SavedMembers members_of(const Ciphertext& ciphertext) {
  const CiphertextObject* object = Access::object(ciphertext);
  if (object == nullptr && ciphertext.size() != 0) {
    throw std::logic_error("the program wrote words into an empty ciphertext; encrypt a plaintext into it first");
  }
  SavedMembers saved = members(ciphertext.parms_id());
  append(saved.head, ciphertext.is_ntt_form());
  append(saved.head, ciphertext.scale());
  append(saved.head, object != nullptr);
  if (object == nullptr) return saved;
  append_file(saved, translated([&] { return rf::io::SecretBytes(encode(*object, ciphertext)); }));
  return saved;
}

void read_members(Ciphertext& to, const SEALContext& context, std::istream& stream) {
  const auto id = read_value<parms_id_type>(stream);
  const bool is_ntt_form = read_flag(stream);
  const auto scale = read_value<double>(stream);
  if (!read_flag(stream)) {
    Ciphertext empty;
    if (id != parms_id_zero) empty.reserve(context, id, 0);
    empty.is_ntt_form() = is_ntt_form;
    empty.scale() = scale;
    to = std::move(empty);
    return;
  }
  const auto data = context.get_context_data(id);
  if (!data) throw std::logic_error("the saved ciphertext belongs to other parameters than the context");
  const std::vector<std::uint8_t> bytes = read_bytes(stream);
  CiphertextObject::Value value = translated([&] { return decode(context, bytes); });
  const std::size_t primes = std::visit([](const auto& held) { return primes_of(held); }, value);
  if (primes != data->parms().coeff_modulus().size()) {
    throw std::logic_error("the saved ciphertext has another level than its parameters");
  }
  Access::set(to, context, std::move(value), scale, is_ntt_form);
}

SavedMembers members_of(const SecretKey& key) {
  const SecretObject* object = Access::object(key);
  SavedMembers saved = members(key.parms_id());
  append(saved.head, object != nullptr);
  if (object == nullptr) return saved;
  append_file(saved,
              translated([&] { return rf::io::encode_secret_key(scope_of(*object->context), object->key, ""); }));
  return saved;
}

void read_members(SecretKey& to, const SEALContext& context, std::istream& stream) {
  const auto id = read_value<parms_id_type>(stream);
  if (!read_flag(stream)) {
    to = SecretKey();
    return;
  }
  require_key_parameters(id, context);
  const WipedVector<std::uint8_t> bytes = read_secret_bytes(stream);
  Access::set(to, context, translated([&] { return rf::io::decode_secret_key(scope_of(context), bytes); }));
}

SavedMembers members_of(const PublicKey& key) {
  const PublicObject* object = Access::object(key);
  SavedMembers saved = members(key.parms_id());
  append(saved.head, object != nullptr);
  if (object == nullptr) return saved;
  append_file(saved, translated([&] {
                return rf::io::SecretBytes(rf::io::encode_key(scope_of(*object->context), object->key));
              }));
  return saved;
}

void read_members(PublicKey& to, const SEALContext& context, std::istream& stream) {
  const auto id = read_value<parms_id_type>(stream);
  if (!read_flag(stream)) {
    to = PublicKey();
    return;
  }
  require_key_parameters(id, context);
  const std::vector<std::uint8_t> bytes = read_bytes(stream);
  Access::set(to, context, translated([&] { return rf::io::decode_public_key(scope_of(context), bytes); }));
}

SavedMembers members_of(const KSwitchKeys& keys) {
  const SwitchObject* object = Access::object(keys);
  SavedMembers saved = members(keys.parms_id());
  const bool has_relinearization = object != nullptr && object->relinearization;
  const bool has_galois = object != nullptr && object->galois;
  const std::vector<std::uint32_t> elements = object != nullptr ? object->elements : std::vector<std::uint32_t>();
  append(saved.head, static_cast<std::uint64_t>(elements.size()));
  for (const std::uint32_t element : elements) append(saved.head, element);
  append(saved.head, has_relinearization);
  append(saved.head, has_galois);
  if (!has_relinearization && !has_galois) return saved;
  append_file(saved, translated([&] {
                const rf::io::Scope scope = scope_of(*object->context);
                return rf::io::SecretBytes(has_galois ? rf::io::encode_key(scope, *object->galois)
                                                      : rf::io::encode_key(scope, *object->relinearization));
              }));
  return saved;
}

void read_members(KSwitchKeys& to, const SEALContext& context, std::istream& stream) {
  read_switch_keys(to, context, stream, Kind::any);
}
void read_members(RelinKeys& to, const SEALContext& context, std::istream& stream) {
  read_switch_keys(to, context, stream, Kind::relinearization);
}
void read_members(GaloisKeys& to, const SEALContext& context, std::istream& stream) {
  read_switch_keys(to, context, stream, Kind::galois);
}

}  // namespace seal::detail
