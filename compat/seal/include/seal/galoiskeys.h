// SPDX-License-Identifier: Apache-2.0
// Galois keys, for automorphisms x -> x^g with odd g below 2n. The element of a rotation by k steps to the left is 3^k
// modulo 2n, and that of the exchange of rows is 2n - 1. Keys that are made for steps are those of these elements.
#pragma once

#include <cstdint>

#include "seal/ciphertext.h"
#include "seal/kswitchkeys.h"
#include "seal/memorymanager.h"

namespace seal {

class GaloisKeys : public KSwitchKeys {
 public:
  // Errors: std::invalid_argument (an even element; key() also: no such key).
  [[nodiscard]] static std::size_t get_index(std::uint32_t galois_elt);
  [[nodiscard]] bool has_key(std::uint32_t galois_elt) const;
  [[nodiscard]] const std::vector<PublicKey>& key(std::uint32_t galois_elt) const;

  // Refuse the bytes of a relinearization key.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
};

}  // namespace seal
