// SPDX-License-Identifier: Apache-2.0
// Operations on ciphertexts. A verb with the suffix _inplace writes its result to its first operand; other verbs write
// it to `destination`, which may be an operand. After an error a destination is unchanged. Operands have the same
// parms_id. Threads can share an evaluator. Errors: std::invalid_argument (operands that are not valid or do not fit, a
// missing key), std::logic_error (the scheme or the parameters do not allow the verb, the result would be transparent:
// a product with a plaintext that is zero, or a difference of a ciphertext and its copy).
#pragma once

#include <cstdint>
#include <vector>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/galoiskeys.h"
#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/plaintext.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/valcheck.h"

namespace seal {

class Evaluator {
  using Pool = MemoryPoolHandle;

 public:
  Evaluator(const SEALContext& context);  // NOLINT(google-explicit-constructor)
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  void negate_inplace(Ciphertext& encrypted) const { negate(encrypted, encrypted); }
  void negate(const Ciphertext& encrypted, Ciphertext& destination) const;
  // Operands may have different numbers of components.
  void add_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2) const {
    add(encrypted1, encrypted2, encrypted1);
  }
  void add(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination) const;
  void add_many(const std::vector<Ciphertext>& encrypteds, Ciphertext& destination) const;
  void sub_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2) const {
    sub(encrypted1, encrypted2, encrypted1);
  }
  void sub(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination) const;

  // Products of k and l components have k + l - 1 components, at most 16. Scales are multiplied.
  void multiply_inplace(Ciphertext& encrypted1, const Ciphertext& encrypted2,
                        Pool pool = MemoryManager::GetPool()) const {
    multiply(encrypted1, encrypted2, encrypted1, std::move(pool));
  }
  void multiply(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination,
                Pool pool = MemoryManager::GetPool()) const;
  void square_inplace(Ciphertext& encrypted, Pool pool = MemoryManager::GetPool()) const {
    square(encrypted, encrypted, std::move(pool));
  }
  void square(const Ciphertext& encrypted, Ciphertext& destination, Pool pool = MemoryManager::GetPool()) const;
  // Reduce 3 components to 2.
  void relinearize_inplace(Ciphertext& encrypted, const RelinKeys& relin_keys,
                           Pool pool = MemoryManager::GetPool()) const {
    relinearize(encrypted, relin_keys, encrypted, std::move(pool));
  }
  void relinearize(const Ciphertext& encrypted, const RelinKeys& relin_keys, Ciphertext& destination,
                   Pool pool = MemoryManager::GetPool()) const;
  // BFV and BGV: products of many ciphertexts, relinearized.
  void multiply_many(const std::vector<Ciphertext>& encrypteds, const RelinKeys& relin_keys, Ciphertext& destination,
                     Pool pool = MemoryManager::GetPool()) const;
  void exponentiate_inplace(Ciphertext& encrypted, std::uint64_t exponent, const RelinKeys& relin_keys,
                            Pool pool = MemoryManager::GetPool()) const {
    exponentiate(encrypted, exponent, relin_keys, encrypted, std::move(pool));
  }
  void exponentiate(const Ciphertext& encrypted, std::uint64_t exponent, const RelinKeys& relin_keys,
                    Ciphertext& destination, Pool pool = MemoryManager::GetPool()) const;

  // Lower the level by one, or to parms_id. CKKS keeps the scale.
  void mod_switch_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                          Pool pool = MemoryManager::GetPool()) const;
  void mod_switch_to_next_inplace(Ciphertext& encrypted, Pool pool = MemoryManager::GetPool()) const {
    mod_switch_to_next(encrypted, encrypted, std::move(pool));
  }
  void mod_switch_to_next_inplace(Plaintext& plain) const { mod_switch_to_next(plain, plain); }
  void mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const;
  void mod_switch_to_inplace(Ciphertext& encrypted, parms_id_type parms_id,
                             Pool pool = MemoryManager::GetPool()) const {
    mod_switch_to(encrypted, parms_id, encrypted, std::move(pool));
  }
  void mod_switch_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                     Pool pool = MemoryManager::GetPool()) const;
  void mod_switch_to_inplace(Plaintext& plain, parms_id_type parms_id) const { mod_switch_to(plain, parms_id, plain); }
  void mod_switch_to(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination) const;
  // Leave primes out of the modulus, by one or down to parms_id, and divide nothing. CKKS: the same as mod_switch. BGV
  // keeps plaintext, noise and correction_factor(). A ciphertext of BFV loses its plaintext, as in SEAL.
  void mod_reduce_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                          Pool pool = MemoryManager::GetPool()) const;
  void mod_reduce_to_next_inplace(Ciphertext& encrypted, Pool pool = MemoryManager::GetPool()) const {
    mod_reduce_to_next(encrypted, encrypted, std::move(pool));
  }
  void mod_reduce_to_inplace(Ciphertext& encrypted, parms_id_type parms_id,
                             Pool pool = MemoryManager::GetPool()) const {
    mod_reduce_to(encrypted, parms_id, encrypted, std::move(pool));
  }
  void mod_reduce_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                     Pool pool = MemoryManager::GetPool()) const;
  // CKKS: lower the level and divide the scale by the primes that leave the modulus.
  void rescale_to_next(const Ciphertext& encrypted, Ciphertext& destination,
                       Pool pool = MemoryManager::GetPool()) const;
  void rescale_to_next_inplace(Ciphertext& encrypted, Pool pool = MemoryManager::GetPool()) const {
    rescale_to_next(encrypted, encrypted, std::move(pool));
  }
  void rescale_to_inplace(Ciphertext& encrypted, parms_id_type parms_id, Pool pool = MemoryManager::GetPool()) const {
    rescale_to(encrypted, parms_id, encrypted, std::move(pool));
  }
  void rescale_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                  Pool pool = MemoryManager::GetPool()) const;

  void add_plain_inplace(Ciphertext& encrypted, const Plaintext& plain, Pool pool = MemoryManager::GetPool()) const {
    add_plain(encrypted, plain, encrypted, std::move(pool));
  }
  void add_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                 Pool pool = MemoryManager::GetPool()) const;
  void sub_plain_inplace(Ciphertext& encrypted, const Plaintext& plain, Pool pool = MemoryManager::GetPool()) const {
    sub_plain(encrypted, plain, encrypted, std::move(pool));
  }
  void sub_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                 Pool pool = MemoryManager::GetPool()) const;
  void multiply_plain_inplace(Ciphertext& encrypted, const Plaintext& plain,
                              Pool pool = MemoryManager::GetPool()) const {
    multiply_plain(encrypted, plain, encrypted, std::move(pool));
  }
  void multiply_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                      Pool pool = MemoryManager::GetPool()) const;

  // BFV and BGV. A plaintext in NTT form is faster as a factor of many products. Ringfort keeps ciphertexts as
  // evaluations anyway: for a ciphertext, only the form that data() shows changes.
  void transform_to_ntt_inplace(Plaintext& plain, parms_id_type parms_id, Pool pool = MemoryManager::GetPool()) const {
    transform_to_ntt(plain, parms_id, plain, std::move(pool));
  }
  void transform_to_ntt(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination_ntt,
                        Pool pool = MemoryManager::GetPool()) const;
  void transform_to_ntt_inplace(Ciphertext& encrypted) const { transform_to_ntt(encrypted, encrypted); }
  void transform_to_ntt(const Ciphertext& encrypted, Ciphertext& destination_ntt) const;
  void transform_from_ntt_inplace(Ciphertext& encrypted_ntt) const { transform_from_ntt(encrypted_ntt, encrypted_ntt); }
  void transform_from_ntt(const Ciphertext& encrypted_ntt, Ciphertext& destination) const;

  // Applies x -> x^galois_elt (see galoiskeys.h), with one key switch. The element needs a key of its own.
  void apply_galois_inplace(Ciphertext& encrypted, std::uint32_t galois_elt, const GaloisKeys& galois_keys,
                            Pool pool = MemoryManager::GetPool()) const {
    apply_galois(encrypted, galois_elt, galois_keys, encrypted, std::move(pool));
  }
  void apply_galois(const Ciphertext& encrypted, std::uint32_t galois_elt, const GaloisKeys& galois_keys,
                    Ciphertext& destination, Pool pool = MemoryManager::GetPool()) const;
  // Rotate to the left. If the step has no key, rotations by powers of two with keys replace it.
  void rotate_rows_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                           Pool pool = MemoryManager::GetPool()) const {
    rotate_rows(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }
  void rotate_rows(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys, Ciphertext& destination,
                   Pool pool = MemoryManager::GetPool()) const;
  void rotate_columns_inplace(Ciphertext& encrypted, const GaloisKeys& galois_keys,
                              Pool pool = MemoryManager::GetPool()) const {
    rotate_columns(encrypted, galois_keys, encrypted, std::move(pool));
  }
  void rotate_columns(const Ciphertext& encrypted, const GaloisKeys& galois_keys, Ciphertext& destination,
                      Pool pool = MemoryManager::GetPool()) const;
  void rotate_vector_inplace(Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                             Pool pool = MemoryManager::GetPool()) const {
    rotate_vector(encrypted, steps, galois_keys, encrypted, std::move(pool));
  }
  void rotate_vector(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys, Ciphertext& destination,
                     Pool pool = MemoryManager::GetPool()) const;
  void complex_conjugate_inplace(Ciphertext& encrypted, const GaloisKeys& galois_keys,
                                 Pool pool = MemoryManager::GetPool()) const {
    complex_conjugate(encrypted, galois_keys, encrypted, std::move(pool));
  }
  void complex_conjugate(const Ciphertext& encrypted, const GaloisKeys& galois_keys, Ciphertext& destination,
                         Pool pool = MemoryManager::GetPool()) const;

 private:
  void rotate(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys, Ciphertext& destination) const;
  void exchange_rows(const Ciphertext& encrypted, const GaloisKeys& galois_keys, Ciphertext& destination) const;

  SEALContext context_;
};

}  // namespace seal
