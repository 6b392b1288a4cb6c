// SPDX-License-Identifier: Apache-2.0
// Saves and loads ciphertexts and keys: SEAL's header, and the members of saved_ciphertext.cpp and saved_keys.cpp. An
// object whose bytes were not valid is unchanged.
#pragma once

#include <istream>
#include <ostream>

#include "errors.h"
#include "objects.h"
#include "seal/serialization.h"
#include "seal/valcheck.h"

namespace seal::detail {

// Return the number of bytes that write_members writes.
[[nodiscard]] std::size_t members_size(const Ciphertext& ciphertext);
[[nodiscard]] std::size_t members_size(const SecretKey& key);
[[nodiscard]] std::size_t members_size(const PublicKey& key);
[[nodiscard]] std::size_t members_size(const KSwitchKeys& keys);

// Words of a ciphertext that the program changed are saved.
void write_members(std::ostream& stream, const Ciphertext& ciphertext);
void write_members(std::ostream& stream, const SecretKey& key);
void write_members(std::ostream& stream, const PublicKey& key);
void write_members(std::ostream& stream, const KSwitchKeys& keys);

// Errors: std::logic_error, std::runtime_error.
void read_members(Ciphertext& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);
void read_members(SecretKey& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);
void read_members(PublicKey& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);
void read_members(KSwitchKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);
void read_members(RelinKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);
void read_members(GaloisKeys& to, const SEALContext& context, std::istream& stream, const SEALVersion& version);

template <class Object>
inline constexpr bool is_secret = std::is_same_v<Object, SecretKey>;

// Returns the largest number of bytes of a saved object.
template <class Object>
[[nodiscard]] std::streamoff size_of(const Object& object, compr_mode_type compr_mode) {
  return util::safe_cast<std::streamoff>(util::add_safe(
      sizeof(Serialization::SEALHeader), Serialization::ComprSizeEstimate(members_size(object), compr_mode)));
}

// `target` is a stream, or a buffer and its size.
template <class Object, class... Target>
std::streamoff save_object(const Object& object, compr_mode_type compr_mode, Target&&... target) {
  return Serialization::Save([&](std::ostream& stream) { write_members(stream, object); },
                             size_of(object, compr_mode_type::none), std::forward<Target>(target)..., compr_mode,
                             is_secret<Object>);
}

template <class Object, class... Source>
std::streamoff load_object(Object& object, const SEALContext& context, Source&&... source) {
  if (!context.parameters_set())
    refuse_argument("an object was loaded with invalid parameters", "read parameter_error_message()");
  return Serialization::Load(
      [&](std::istream& stream, SEALVersion version) { read_members(object, context, stream, version); },
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
