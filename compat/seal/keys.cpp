// SPDX-License-Identifier: Apache-2.0
// The public members of keys (seal/secretkey.h, publickey.h, kswitchkeys.h, relinkeys.h, galoiskeys.h), and the saving
// and loading of ciphertexts and keys.
#include <algorithm>
#include <stdexcept>

#include "files.h"

namespace seal {

using detail::load_object;
using detail::load_valid_object;
using detail::save_object;
using detail::size_of;

std::streamoff Ciphertext::save_size(compr_mode_type compr_mode) const { return size_of(*this, compr_mode); }
std::streamoff Ciphertext::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, stream);
}
std::streamoff Ciphertext::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, out, size);
}
std::streamoff Ciphertext::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff Ciphertext::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff Ciphertext::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff Ciphertext::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::streamoff SecretKey::save_size(compr_mode_type compr_mode) const { return size_of(*this, compr_mode); }
std::streamoff SecretKey::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, stream);
}
std::streamoff SecretKey::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, out, size);
}
std::streamoff SecretKey::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff SecretKey::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff SecretKey::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff SecretKey::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::streamoff PublicKey::save_size(compr_mode_type compr_mode) const { return size_of(*this, compr_mode); }
std::streamoff PublicKey::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, stream);
}
std::streamoff PublicKey::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, out, size);
}
std::streamoff PublicKey::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff PublicKey::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff PublicKey::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff PublicKey::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::streamoff KSwitchKeys::save_size(compr_mode_type compr_mode) const { return size_of(*this, compr_mode); }
std::streamoff KSwitchKeys::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, stream);
}
std::streamoff KSwitchKeys::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_object(*this, compr_mode, out, size);
}
std::streamoff KSwitchKeys::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff KSwitchKeys::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff KSwitchKeys::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff KSwitchKeys::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::size_t KSwitchKeys::size() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(keys_.begin(), keys_.end(), [](const std::vector<PublicKey>& key) { return !key.empty(); }));
}

std::vector<PublicKey>& KSwitchKeys::data(std::size_t index) {
  return const_cast<std::vector<PublicKey>&>(std::as_const(*this).data(index));
}

const std::vector<PublicKey>& KSwitchKeys::data(std::size_t index) const {
  if (index >= keys_.size() || keys_[index].empty()) {
    throw std::invalid_argument("there is no key-switching key with this index; create it with a KeyGenerator");
  }
  return keys_[index];
}

std::streamoff RelinKeys::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff RelinKeys::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff RelinKeys::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff RelinKeys::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::size_t RelinKeys::get_index(std::size_t key_power) {
  if (key_power < 2) throw std::invalid_argument("keys are for powers of the secret from 2 on");
  return key_power - 2;
}

bool RelinKeys::has_key(std::size_t key_power) const {
  const std::size_t index = get_index(key_power);
  return index < data().size() && !data()[index].empty();
}

const std::vector<PublicKey>& RelinKeys::key(std::size_t key_power) const { return data(get_index(key_power)); }

std::streamoff GaloisKeys::unsafe_load(const SEALContext& context, std::istream& stream) {
  return load_object(*this, context, stream);
}
std::streamoff GaloisKeys::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_object(*this, context, in, size);
}
std::streamoff GaloisKeys::load(const SEALContext& context, std::istream& stream) {
  return load_valid_object(*this, context, stream);
}
std::streamoff GaloisKeys::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_valid_object(*this, context, in, size);
}

std::size_t GaloisKeys::get_index(std::uint32_t galois_elt) {
  if (galois_elt % 2 == 0) throw std::invalid_argument("a Galois element is odd");
  return galois_elt / 2;
}

bool GaloisKeys::has_key(std::uint32_t galois_elt) const {
  const std::size_t index = get_index(galois_elt);
  return index < data().size() && !data()[index].empty();
}

const std::vector<PublicKey>& GaloisKeys::key(std::uint32_t galois_elt) const { return data(get_index(galois_elt)); }

}  // namespace seal
