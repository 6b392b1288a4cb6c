// SPDX-License-Identifier: Apache-2.0
// The seeds in saved objects of SEAL. A fresh encryption under the secret key, and each pair of a key, may be saved as
// one polynomial and a seed. The other polynomial is the uniform one that the seed's generator gives.
#pragma once

#include <istream>
#include <span>

#include "seal/encryptionparams.h"
#include "seal/randomgen.h"
#include "seal/version.h"

namespace seal::detail {

// Errors: std::logic_error (the generator is not BLAKE2Xb, or the version is below 3.6).
[[nodiscard]] UniformRandomGeneratorInfo read_seed(std::istream& stream, const SEALVersion& version);

// Writes a uniform polynomial as [prime][coefficient].
void expand_seed(const UniformRandomGeneratorInfo& info, const EncryptionParameters& parms,
                 std::span<std::uint64_t> words);

}  // namespace seal::detail
