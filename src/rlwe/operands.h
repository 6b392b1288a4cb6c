// SPDX-License-Identifier: Apache-2.0
// Checks of a verb's operands. A verb calls these functions before it computes. They throw Error. The parameter `what`
// is the name of the verb in the message.
#pragma once

#include <string_view>

#include "rlwe/ciphertext.h"

namespace ringfort {

// Throws invalid_argument for an empty ciphertext. require_pair, require_two_components and require_level check this
// too.
void require_filled(const RlweCiphertext& ciphertext, std::string_view what);
// Throws parameters_mismatch unless the two operands have the same context, key and level.
void require_pair(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what);
// Throws invalid_argument unless there are two components.
void require_two_components(const RlweCiphertext& ciphertext, std::string_view what);
// Throws what require_pair throws, and invalid_argument if the product of two ciphertexts would have too many
// components.
void require_product(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what);
// Throws depth_exhausted unless the ciphertext is at level `needed` or above.
void require_level(const RlweCiphertext& ciphertext, u32 needed, std::string_view what);
// Throws invalid_argument if `level` is above the ciphertext's level.
void require_lower(const RlweCiphertext& ciphertext, u32 level, std::string_view what);

// Throw invalid_argument for an empty ciphertext, and parameters_mismatch if the key belongs to another context or
// secret key. Throw invalid_argument for a ciphertext with more components than the key can reduce to two: more than
// three, or with Galois keys more than two.
void require_key(const RlweCiphertext& ciphertext, const RelinearizationKey& key, std::string_view what);
void require_key(const RlweCiphertext& ciphertext, const GaloisKeys& keys, std::string_view what);

// Throws invalid_argument for a sum of no terms.
void require_terms(std::size_t terms, std::string_view what);
// Throws invalid_argument unless a sum of products has equally many first and second factors, at least one pair.
void require_factors(std::size_t a, std::size_t b, std::string_view what);

}  // namespace ringfort
