// SPDX-License-Identifier: Apache-2.0
// The relinearization key. There is one key, for the square of the secret: key_power 2.
#pragma once

#include "seal/ciphertext.h"
#include "seal/kswitchkeys.h"
#include "seal/memorymanager.h"

namespace seal {

class RelinKeys : public KSwitchKeys {
 public:
  // Errors: std::invalid_argument (key_power is below 2; key() also: no such key).
  [[nodiscard]] static std::size_t get_index(std::size_t key_power);
  [[nodiscard]] bool has_key(std::size_t key_power) const;
  [[nodiscard]] const std::vector<PublicKey>& key(std::size_t key_power) const;

  // Refuse the bytes of Galois keys.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
};

}  // namespace seal
