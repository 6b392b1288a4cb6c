// SPDX-License-Identifier: Apache-2.0
// Saves and loads ciphertexts and keys. A saved object is SEAL's header, a few members, and one file of Ringfort. An
// object whose bytes were not valid is unchanged.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "objects.h"
#include "seal/serialization.h"
#include "seal/valcheck.h"

namespace seal::detail {

// The members of one object, encoded.
struct SavedMembers {
  std::string head;
  rf::io::SecretBytes file{rf::io::Bytes{}};
  [[nodiscard]] std::size_t size() const noexcept { return head.size() + file.view().size(); }
  void write(std::ostream& stream) const;
};

// Words of a ciphertext that the program changed are saved. Errors: std::logic_error (words without an encryption).
[[nodiscard]] SavedMembers members_of(const Ciphertext& ciphertext);
[[nodiscard]] SavedMembers members_of(const SecretKey& key);
[[nodiscard]] SavedMembers members_of(const PublicKey& key);
[[nodiscard]] SavedMembers members_of(const KSwitchKeys& keys);

// Errors: std::logic_error, std::runtime_error.
void read_members(Ciphertext& to, const SEALContext& context, std::istream& stream);
void read_members(SecretKey& to, const SEALContext& context, std::istream& stream);
void read_members(PublicKey& to, const SEALContext& context, std::istream& stream);
void read_members(KSwitchKeys& to, const SEALContext& context, std::istream& stream);
void read_members(RelinKeys& to, const SEALContext& context, std::istream& stream);
void read_members(GaloisKeys& to, const SEALContext& context, std::istream& stream);

template <class Object>
inline constexpr bool is_secret = std::is_same_v<Object, SecretKey>;

[[nodiscard]] std::streamoff size_of(const SavedMembers& members, compr_mode_type compr_mode);

// `target` is a stream, or a buffer and its size.
template <class Object, class... Target>
std::streamoff save_object(const Object& object, compr_mode_type compr_mode, Target&&... target) {
  const SavedMembers members = members_of(object);
  return Serialization::Save([&](std::ostream& stream) { members.write(stream); },
                             size_of(members, compr_mode_type::none), std::forward<Target>(target)..., compr_mode,
                             is_secret<Object>);
}

template <class Object, class... Source>
std::streamoff load_object(Object& object, const SEALContext& context, Source&&... source) {
  return Serialization::Load([&](std::istream& stream, SEALVersion) { read_members(object, context, stream); },
                             std::forward<Source>(source)..., is_secret<Object>);
}

template <class Object, class... Source>
std::streamoff load_valid_object(Object& object, const SEALContext& context, Source&&... source) {
  Object loaded;
  const std::streamoff size = load_object(loaded, context, std::forward<Source>(source)...);
  if (!is_valid_for(loaded, context)) {
    throw std::logic_error("the loaded object is not valid for the parameters of the context");
  }
  object = std::move(loaded);
  return size;
}

}  // namespace seal::detail
