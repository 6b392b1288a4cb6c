// SPDX-License-Identifier: Apache-2.0
// The residues of leveled ciphertexts and plaintexts, for programs that compare them with another library or store them
// in its format. docs/file-format.md describes the files of this library.
#pragma once

#include <cstdint>
#include <vector>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"

namespace ringfort {

// Return the residues as [component][limb][evaluation], each below its prime. Limb i belongs to data prime i. There are
// level + 1 groups of limbs (ringfort/parameters.h). Evaluations have the order of ringfort/ring.h, in all schemes. A
// call copies the words from the device, and waits for it. Errors: invalid_argument (an empty object).
[[nodiscard]] std::vector<std::uint64_t> residues(const ckks::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const bfv::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const bgv::Ciphertext& ciphertext);
[[nodiscard]] std::vector<std::uint64_t> residues(const ckks::Plaintext& plaintext);  // one component

}  // namespace ringfort
