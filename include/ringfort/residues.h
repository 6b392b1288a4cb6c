// SPDX-License-Identifier: Apache-2.0
// The residues of leveled ciphertexts and plaintexts, for programs that compare them with another library, store them
// in its format, or compute with them. docs/file-format.md describes the files of this library. Residues are ordered as
// [component][limb][evaluation], each below its prime. Limb i belongs to data prime i; there are level + 1 groups of
// limbs (ringfort/parameters.h). Evaluations have the order of ringfort/ring.h, in all schemes. The residues of keys
// are in ringfort/key_residues.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"

namespace ringfort {

// Return the residues. A call copies them from the device, and waits for it. Errors: invalid_argument (an empty
// object).
[[nodiscard]] std::vector<std::uint64_t> residues(const ckks::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const bfv::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const bgv::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const ckks::Plaintext& plaintext);  // one component

// Return a ciphertext of these residues at a level. The number of residues tells the number of components. The library
// knows neither the noise nor the secret key of such a ciphertext. Therefore the context must be unguarded
// (ChainParameters::unguarded_reason). Errors: invalid_argument (a level above the top level, a scale that is not
// finite and above zero, another number of residues, or one that is not below its prime), mode_forbidden (a context
// with bounds).
[[nodiscard]] ckks::Ciphertext ciphertext_of(const ckks::Context& context, std::uint32_t level, double scale,
                                             std::span<const std::uint64_t> residues);
[[nodiscard]] bfv::Ciphertext ciphertext_of(const bfv::Context& context, std::uint32_t level,
                                            std::span<const std::uint64_t> residues);
// The phase of a BGV ciphertext is, modulo t, its plaintext times the correction factor, which is in [1, t) and coprime
// to t. The errors are those of residues() and of ciphertext_of.
[[nodiscard]] std::uint64_t correction_factor(const bgv::Ciphertext& ciphertext);
[[nodiscard]] bgv::Ciphertext ciphertext_of(const bgv::Context& context, std::uint32_t level, std::uint64_t factor,
                                            std::span<const std::uint64_t> residues);
// Returns a plaintext of these residues at a level and a scale above zero. Errors: those of ciphertext_of.
[[nodiscard]] ckks::Plaintext plaintext_of(const ckks::Context& context, std::uint32_t level, double scale,
                                           std::span<const std::uint64_t> residues);

}  // namespace ringfort
