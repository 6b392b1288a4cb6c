// SPDX-License-Identifier: Apache-2.0
// The seeds in saved objects of SEAL. A fresh encryption under the secret key, and each pair of a key, may be saved as
// one polynomial and a seed. The other polynomial is the uniform one that the seed's generator gives. Objects of
// Ringfort have seeds of another generator. Therefore an object to save gets another uniform polynomial.
#pragma once

#include <istream>
#include <span>

#include "objects.h"
#include "seal/version.h"

namespace seal::detail {

// Errors: std::logic_error (the generator is not BLAKE2Xb, or the version is below 3.6).
[[nodiscard]] UniformRandomGeneratorInfo read_seed(std::istream& stream, const SEALVersion& version);

// Write a uniform polynomial as [prime][coefficient].
void draw_uniform(UniformRandomGenerator& generator, const EncryptionParameters& parms, std::span<std::uint64_t> words);
void expand_seed(const UniformRandomGeneratorInfo& info, const EncryptionParameters& parms,
                 std::span<std::uint64_t> words);

// Gives objects under a secret key seeds, for saving: replaces the uniform polynomial, and adds a fresh error
// (ringfort/key_residues.h).
void give_seed(Ciphertext& fresh, const SEALContext& context, const SecretKey& secret);
void give_seed(PublicKey& fresh, const SEALContext& context, const SecretKey& secret);
void give_seeds(KSwitchKeys& fresh, const SEALContext& context, const SecretKey& secret);

}  // namespace seal::detail
