// SPDX-License-Identifier: Apache-2.0
// Creates secret, public, relinearization and Galois keys. Every key takes fresh seeds from the operating system, also
// if the parameters name a random generator. The functions without a destination return an object to save: its file has
// seeds in place of random polynomials.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "seal/context.h"
#include "seal/galoiskeys.h"
#include "seal/memorymanager.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/serializable.h"

namespace seal {

// Errors: std::invalid_argument (parameters are not set, a secret key of other parameters, an element that is even or
// not below 2n, a step that is not inside (-n/2, n/2)), std::logic_error (no prime for key switching, no batching).
class KeyGenerator {
 public:
  KeyGenerator(const SEALContext& context);  // NOLINT(google-explicit-constructor): draws a secret key
  KeyGenerator(const SEALContext& context, const SecretKey& secret_key);
  KeyGenerator(const KeyGenerator&) = delete;
  KeyGenerator& operator=(const KeyGenerator&) = delete;

  [[nodiscard]] const SecretKey& secret_key() const { return secret_key_; }
  void create_public_key(PublicKey& destination) const;
  [[nodiscard]] Serializable<PublicKey> create_public_key() const;
  void create_relin_keys(RelinKeys& destination);
  [[nodiscard]] Serializable<RelinKeys> create_relin_keys();
  void create_galois_keys(const std::vector<std::uint32_t>& galois_elts, GaloisKeys& destination);
  [[nodiscard]] Serializable<GaloisKeys> create_galois_keys(const std::vector<std::uint32_t>& galois_elts);
  // A step of 0 is the key for rotate_columns and complex_conjugate.
  void create_galois_keys(const std::vector<int>& steps, GaloisKeys& destination);
  [[nodiscard]] Serializable<GaloisKeys> create_galois_keys(const std::vector<int>& steps);
  // Keys for all steps +-2^i and for the exchange of rows; products of these rotations give every step.
  void create_galois_keys(GaloisKeys& destination);
  [[nodiscard]] Serializable<GaloisKeys> create_galois_keys();

 private:
  SEALContext context_;
  SecretKey secret_key_;
};

}  // namespace seal
