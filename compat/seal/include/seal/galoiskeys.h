// SPDX-License-Identifier: Apache-2.0
// Galois keys, for automorphisms x -> x^g with odd g below 2n. Keys that are made for a step of k have the name 3^k
// modulo 2n. But here x -> x^(3^k) does not rotate slots by k steps, because Ringfort numbers slots by powers of 5. A
// program that makes keys for elements can apply these elements to polynomials. To rotate, it makes keys for steps.
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
