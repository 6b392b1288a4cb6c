// SPDX-License-Identifier: Apache-2.0
// Residues that programs pass in and out (ringfort/residues.h, ringfort/key_residues.h): the checks, and the order of
// the limbs of keys. A key has the data primes first and the special primes after them, as programs write moduli; in a
// ring, the special primes are first (chain.h).
#pragma once

#include <span>

#include "rlwe/keys.h"

namespace ringfort {

// Throws invalid_argument unless every residue is below its prime. `words` has polynomials over these limbs.
void require_residues(const KeyContext::State& context, Limbs limbs, std::span<const u64> words);

// Throws invalid_argument unless the element is odd and below 2n.
void require_element(u32 element, u32 n);

// Returns the number of residues of one polynomial over these limbs.
[[nodiscard]] std::size_t key_words(const KeyContext::State& context, Limbs limbs) noexcept;
// Download or upload polynomials over data primes, and over all, one or no special primes. upload_key throws
// invalid_argument unless every residue is below its prime.
void download_key(const KeyContext::State& context, Slice<Eval> polynomials, std::span<u64> words, Workspace& work);
void upload_key(const KeyContext::State& context, Slice<Eval> polynomials, std::span<const u64> words, Workspace& work);

}  // namespace ringfort
