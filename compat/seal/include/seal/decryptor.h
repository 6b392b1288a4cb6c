// SPDX-License-Identifier: Apache-2.0
// Decryption with the secret key. Decryption never fails for its noise: a ciphertext with too much noise gives a wrong
// plaintext. invariant_noise_budget measures the noise. Show its result, and decrypted values of CKKS, to nobody who
// may have the ciphertext: they depend on the secret key.
#pragma once

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/secretkey.h"

namespace seal {

// Errors: std::invalid_argument (parameters, key or ciphertext are not valid), std::logic_error (noise of CKKS).
class Decryptor {
 public:
  Decryptor(const SEALContext& context, const SecretKey& secret_key);
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;
  void decrypt(const Ciphertext& encrypted, Plaintext& destination);
  // BFV and BGV: log2 of (largest noise that decrypts / noise), rounded down; 0 if the noise is larger.
  [[nodiscard]] int invariant_noise_budget(const Ciphertext& encrypted);

 private:
  SEALContext context_;
  SecretKey secret_key_;
};

}  // namespace seal
