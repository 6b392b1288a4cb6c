// SPDX-License-Identifier: Apache-2.0
// The residues of leveled ciphertexts and plaintexts, for programs that compare them with another library, store them
// in its format, or compute with them. docs/file-format.md describes the files of this library. Residues are ordered as
// [component][limb][evaluation], each below its prime. Limb i belongs to data prime i; there are level + 1 groups of
// limbs (ringfort/parameters.h). Evaluations have the order of ringfort/ring.h, in all schemes.
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

// Return a ciphertext of these residues with the key, the level and the scale or correction factor of `like`. The
// number of residues tells the number of components. The library cannot know the noise of such a ciphertext. Therefore
// the context must be unguarded (ChainParameters::unguarded_reason). Errors: invalid_argument (an empty `like`, another
// number of residues, or one that is not below its prime), mode_forbidden (a context with bounds), parameters_mismatch.
[[nodiscard]] ckks::Ciphertext with_residues(const ckks::Context& context, const ckks::Ciphertext& like,
                                             std::span<const std::uint64_t> residues);
[[nodiscard]] bfv::Ciphertext with_residues(const bfv::Context& context, const bfv::Ciphertext& like,
                                            std::span<const std::uint64_t> residues);
[[nodiscard]] bgv::Ciphertext with_residues(const bgv::Context& context, const bgv::Ciphertext& like,
                                            std::span<const std::uint64_t> residues);
// The phase of a BGV ciphertext is, modulo t, its plaintext times the correction factor, which is in [1, t) and coprime
// to t. The errors are those of residues() and of with_residues.
[[nodiscard]] std::uint64_t correction_factor(const bgv::Ciphertext& ciphertext);
[[nodiscard]] bgv::Ciphertext with_residues(const bgv::Context& context, const bgv::Ciphertext& like,
                                            std::span<const std::uint64_t> residues, std::uint64_t factor);
// Returns a plaintext of these residues at a level and a scale above zero. Errors: those of with_residues.
[[nodiscard]] ckks::Plaintext plaintext_of(const ckks::Context& context, std::uint32_t level, double scale,
                                           std::span<const std::uint64_t> residues);

}  // namespace ringfort
