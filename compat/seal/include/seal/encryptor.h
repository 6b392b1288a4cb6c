// SPDX-License-Identifier: Apache-2.0
// Encryption under a public key or, in the functions named symmetric, under the secret key. Every encryption takes
// fresh seeds from the operating system, also if the parameters name a random generator. The functions without a
// destination return an object to save. If the secret key encrypted it, its file has a seed in place of one polynomial.
#pragma once

#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/secretkey.h"
#include "seal/serializable.h"

namespace seal {

// The result of encrypt_zero(parms_id) has the level parms_id; other results have the level of the plaintext (CKKS) or
// the highest level. Errors: std::invalid_argument (parameters, keys or plaintexts that are not valid),
// std::logic_error (the key was not set).
class Encryptor {
 public:
  Encryptor(const SEALContext& context, const PublicKey& public_key);
  Encryptor(const SEALContext& context, const SecretKey& secret_key);
  Encryptor(const SEALContext& context, const PublicKey& public_key, const SecretKey& secret_key);
  Encryptor(const Encryptor&) = delete;
  Encryptor& operator=(const Encryptor&) = delete;
  void set_public_key(const PublicKey& public_key);
  void set_secret_key(const SecretKey& secret_key);

  void encrypt(const Plaintext& plain, Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt(const Plaintext& plain,
                                                 MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero(Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero(parms_id_type parms_id, Ciphertext& destination,
                    MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt_zero(MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt_zero(parms_id_type parms_id,
                                                      MemoryPoolHandle pool = MemoryManager::GetPool()) const;

  void encrypt_symmetric(const Plaintext& plain, Ciphertext& destination,
                         MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt_symmetric(const Plaintext& plain,
                                                           MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero_symmetric(Ciphertext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero_symmetric(parms_id_type parms_id, Ciphertext& destination,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt_zero_symmetric(MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  [[nodiscard]] Serializable<Ciphertext> encrypt_zero_symmetric(parms_id_type parms_id,
                                                                MemoryPoolHandle pool = MemoryManager::GetPool()) const;

 private:
  void encrypt_plain(const Plaintext& plain, bool symmetric, Ciphertext& destination) const;
  void encrypt_nothing(const parms_id_type& parms_id, bool symmetric, Ciphertext& destination) const;

  SEALContext context_;
  PublicKey public_key_;
  SecretKey secret_key_;
};

}  // namespace seal
