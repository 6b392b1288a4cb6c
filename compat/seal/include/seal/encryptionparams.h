// SPDX-License-Identifier: Apache-2.0
// Encryption parameters: scheme, degree, primes and plain modulus. Their hash, parms_id, equals SEAL's.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/randomgen.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "seal/util/globals.h"
#include "seal/util/hash.h"
#include "seal/version.h"

namespace seal {

enum class scheme_type : std::uint8_t { none = 0x0, bfv = 0x1, ckks = 0x2, bgv = 0x3 };

using parms_id_type = util::HashFunction::hash_block_type;

extern const parms_id_type parms_id_zero;

// Errors: std::invalid_argument (an unknown scheme, too many primes), std::logic_error (a value that the scheme does
// not have).
class EncryptionParameters {
 public:
  EncryptionParameters(scheme_type scheme = scheme_type::none) : scheme_(scheme) { compute_parms_id(); }
  EncryptionParameters(std::uint8_t scheme);

  void set_poly_modulus_degree(std::size_t poly_modulus_degree);
  // The last prime is for key switching: ciphertexts do not have it, unless it is the only prime.
  void set_coeff_modulus(const std::vector<Modulus>& coeff_modulus);
  void set_plain_modulus(const Modulus& plain_modulus);
  void set_plain_modulus(std::uint64_t plain_modulus) { set_plain_modulus(Modulus(plain_modulus)); }
  // The generator is kept, but keys and encryptions always take fresh seeds from the operating system.
  void set_random_generator(std::shared_ptr<UniformRandomGeneratorFactory> random_generator) noexcept {
    random_generator_ = std::move(random_generator);
  }

  [[nodiscard]] scheme_type scheme() const noexcept { return scheme_; }
  [[nodiscard]] std::size_t poly_modulus_degree() const noexcept { return poly_modulus_degree_; }
  [[nodiscard]] const std::vector<Modulus>& coeff_modulus() const noexcept { return coeff_modulus_; }
  [[nodiscard]] const Modulus& plain_modulus() const noexcept { return plain_modulus_; }
  [[nodiscard]] std::shared_ptr<UniformRandomGeneratorFactory> random_generator() const noexcept {
    return random_generator_;
  }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return parms_id_; }
  [[nodiscard]] bool operator==(const EncryptionParameters& other) const noexcept {
    return parms_id_ == other.parms_id_;
  }
  [[nodiscard]] bool operator!=(const EncryptionParameters& other) const noexcept {
    return parms_id_ != other.parms_id_;
  }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff load(std::istream& stream);
  std::streamoff load(const seal_byte* in, std::size_t size);

 private:
  void compute_parms_id();
  void save_members(std::ostream& stream) const;
  static EncryptionParameters load_members(std::istream& stream);

  scheme_type scheme_;
  std::size_t poly_modulus_degree_ = 0;
  std::vector<Modulus> coeff_modulus_;
  std::shared_ptr<UniformRandomGeneratorFactory> random_generator_;
  Modulus plain_modulus_;
  parms_id_type parms_id_{};
};

}  // namespace seal

namespace std {

template <>
struct hash<seal::parms_id_type> {
  std::size_t operator()(const seal::parms_id_type& parms_id) const noexcept {
    return static_cast<std::size_t>(parms_id[0] ^ parms_id[3]);  // its words are already a hash
  }
};

template <>
struct hash<seal::EncryptionParameters> {
  std::size_t operator()(const seal::EncryptionParameters& parms) const noexcept {
    return hash<seal::parms_id_type>()(parms.parms_id());
  }
};

}  // namespace std
