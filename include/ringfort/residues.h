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

// The forms of the polynomials of a ciphertext: evaluations, as above, or coefficients in ascending order.
enum class ResidueForm : std::uint8_t { evaluations, coefficients };

// Write the residues of one component, [limb][evaluation or coefficient], to `out`. The device computes coefficients.
// Errors: those of residues(), and invalid_argument for a component that the ciphertext does not have and for another
// number of residues.
void residues(const ckks::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out);
void residues(const bfv::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out);
void residues(const bgv::Ciphertext& ciphertext, std::uint32_t component, ResidueForm form,
              std::span<std::uint64_t> out);

// Return a ciphertext of these residues at a level. The device transforms coefficients. The number of residues tells
// the number of components. The library knows neither the noise nor the secret key of such a ciphertext. Therefore the
// context must be unguarded (ChainParameters::unguarded_reason). Errors: invalid_argument (a level above the top level,
// a scale that is not finite and above zero, another number of residues, or one that is not below its prime),
// mode_forbidden (a context with bounds).
[[nodiscard]] ckks::Ciphertext ciphertext_of(const ckks::Context& context, std::uint32_t level, double scale,
                                             std::span<const std::uint64_t> residues,
                                             ResidueForm form = ResidueForm::evaluations);
[[nodiscard]] bfv::Ciphertext ciphertext_of(const bfv::Context& context, std::uint32_t level,
                                            std::span<const std::uint64_t> residues,
                                            ResidueForm form = ResidueForm::evaluations);
// The phase of a BGV ciphertext is, modulo t, its plaintext times the correction factor, which is in [1, t) and coprime
// to t. The errors are those of residues() and of ciphertext_of.
[[nodiscard]] std::uint64_t correction_factor(const bgv::Ciphertext& ciphertext);
[[nodiscard]] bgv::Ciphertext ciphertext_of(const bgv::Context& context, std::uint32_t level, std::uint64_t factor,
                                            std::span<const std::uint64_t> residues,
                                            ResidueForm form = ResidueForm::evaluations);
// Returns a plaintext of these residues at a level and a scale above zero. Errors: those of ciphertext_of.
[[nodiscard]] ckks::Plaintext plaintext_of(const ckks::Context& context, std::uint32_t level, double scale,
                                           std::span<const std::uint64_t> residues);

}  // namespace ringfort
