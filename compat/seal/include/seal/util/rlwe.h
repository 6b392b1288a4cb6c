// SPDX-License-Identifier: Apache-2.0
// Random polynomials and encryptions of zero under SEAL's names. Polynomials are residues modulo all primes of the
// parameters. A generator with a seed gives the words that it gives in SEAL. Encryptions draw fresh seeds.
#pragma once

#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/publickey.h"
#include "seal/randomgen.h"
#include "seal/secretkey.h"

namespace seal {
namespace util {

// -1, 0 or 1, each with probability 1/3; the clipped normal distribution; a centred binomial distribution of 42 bits,
// whose standard deviation is 3.24; any residues.
void sample_poly_ternary(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                         std::uint64_t* destination);
void sample_poly_normal(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                        std::uint64_t* destination);
void sample_poly_cbd(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                     std::uint64_t* destination);
void sample_poly_uniform(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                         std::uint64_t* destination);

// std::invalid_argument: a key of other parameters, or a parms_id that is not one of ciphertexts.
void encrypt_zero_asymmetric(const PublicKey& public_key, const SEALContext& context, parms_id_type parms_id,
                             bool is_ntt_form, Ciphertext& destination);
// save_seed: the ciphertext is saved with a seed in place of its second polynomial, as long as the program does not
// change this polynomial. Its words are complete, where SEAL replaces them by the seed.
void encrypt_zero_symmetric(const SecretKey& secret_key, const SEALContext& context, parms_id_type parms_id,
                            bool is_ntt_form, bool save_seed, Ciphertext& destination);

}  // namespace util
}  // namespace seal
