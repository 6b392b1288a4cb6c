// SPDX-License-Identifier: Apache-2.0
// What tests of SEAL's operations need: a context, its keys, and objects that use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seal/seal.h"

namespace ringfort::testing {

// Parameters with `primes` of these lengths, which are not secure.
inline seal::EncryptionParameters seal_parameters(seal::scheme_type scheme, std::size_t n, std::vector<int> primes,
                                                  std::uint64_t t = 0) {
  seal::EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(n);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(n, primes));
  if (t != 0) parms.set_plain_modulus(t);
  return parms;
}

struct Machine {
  explicit Machine(const seal::EncryptionParameters& parms)
      : context(parms, true, seal::sec_level_type::none),
        generator(context),
        encryptor(context, public_key(), generator.secret_key()),
        decryptor(context, generator.secret_key()),
        evaluator(context) {}

  [[nodiscard]] seal::PublicKey public_key() const {
    seal::PublicKey key;
    generator.create_public_key(key);
    return key;
  }
  [[nodiscard]] seal::RelinKeys relin_keys() {
    seal::RelinKeys keys;
    generator.create_relin_keys(keys);
    return keys;
  }
  [[nodiscard]] seal::Ciphertext encrypt(const seal::Plaintext& plain) const {
    seal::Ciphertext result;
    encryptor.encrypt(plain, result);
    return result;
  }
  [[nodiscard]] seal::Plaintext decrypt(const seal::Ciphertext& encrypted) {
    seal::Plaintext plain;
    decryptor.decrypt(encrypted, plain);
    return plain;
  }
  [[nodiscard]] std::string text(const seal::Ciphertext& encrypted) { return decrypt(encrypted).to_string(); }
  // Encodes and decodes slots.
  template <class T>
  [[nodiscard]] seal::Plaintext batch(const std::vector<T>& values) const {
    seal::Plaintext plain;
    seal::BatchEncoder(context).encode(values, plain);
    return plain;
  }
  [[nodiscard]] std::vector<std::uint64_t> slots(const seal::Ciphertext& encrypted) {
    std::vector<std::uint64_t> values;
    seal::BatchEncoder(context).decode(decrypt(encrypted), values);
    return values;
  }
  // Encodes and decodes numbers of CKKS.
  template <class T>
  [[nodiscard]] seal::Plaintext encode(const T& values, double scale = 0x1p40) const {
    seal::Plaintext plain;
    seal::CKKSEncoder(context).encode(values, scale, plain);
    return plain;
  }
  [[nodiscard]] std::vector<double> numbers(const seal::Ciphertext& encrypted) {
    std::vector<double> values;
    seal::CKKSEncoder(context).decode(decrypt(encrypted), values);
    return values;
  }

  seal::SEALContext context;
  seal::KeyGenerator generator;
  seal::Encryptor encryptor;
  seal::Decryptor decryptor;
  seal::Evaluator evaluator;
};

inline const std::vector<seal::scheme_type> kExactSchemes = {seal::scheme_type::bfv, seal::scheme_type::bgv};

}  // namespace ringfort::testing
