// SPDX-License-Identifier: Apache-2.0
// What the io room writes and reads: numbers, never bytes. Rows are canonical residues in [0, q), evaluation domain,
// canonical (bit-reversed) order, row by row. A seeded ciphertext (secret-key mode) holds one polynomial a row, c0; the
// other is expanded from the public seed at address (uniform_a, object = index of the bit in its encrypt call, digit =
// row). A public-key ciphertext holds c0, c1 of each row. Every number from outside is checked here against its range.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/rgsw_search.h"

namespace ringfort::rgsw {

// Words that one encrypted bit holds in a file: 2 l n (secret-key mode) or 4 l n.
[[nodiscard]] std::size_t exported_words(const Parameters& parameters, Mode mode) noexcept;
[[nodiscard]] std::size_t exported_bits(const Parameters& parameters) noexcept;  // bits a residue: ceil(log2 q)

// Fresh encryptions only (what encrypt and import_bits made); Error(unsupported) for results of operations.
// out.size() == bits.size() * exported_words.
void export_bits(const EncryptedBits& bits, std::span<u64> out);
// One of them: out.size() == exported_words. While it is in the cache it can be packed.
void export_bit(const EncryptedBits& bits, u32 index, std::span<u64> out);
[[nodiscard]] PublicSeed public_seed(const EncryptedBits& bits);  // zero in public-key mode

// Encrypted bits as a file holds them; indices[i] is the bit's number in its encrypt call, so a selection of a word's
// bits can be read alone.
struct StoredBits {
  Mode mode;
  const PublicSeed& seed;
  std::span<const u32> indices;
  std::span<const u64> residues;
};

// Fills `out` (memory is reused when it is large enough) with indices.size() encrypted bits.
// Failures: io_length, io_range, mode_forbidden, out_of_memory; `out` is then empty.
[[nodiscard]] Result<Done> import_bits(EncryptedBits& out, const Context& context, const StoredBits& stored);

// n coefficients in {-1, 0, 1}. Failures: io_length, io_range.
[[nodiscard]] Result<SecretKey> import_secret_key(const Context& context, std::span<const i8> coefficients);
[[nodiscard]] std::span<const i8> secret_coefficients(const SecretKey& key);  // lives as long as the key

// b: n residues, evaluation domain. Failures: io_length, io_range, mode_forbidden.
[[nodiscard]] Result<PublicKey> import_public_key(const Context& context, const PublicSeed& seed,
                                                  std::span<const u64> b);
[[nodiscard]] PublicSeed public_seed(const PublicKey& key);
[[nodiscard]] std::vector<u64> public_residues(const PublicKey& key);

// Digest, plan (recomputed and compared), lengths and ranges. Failures: io_digest, io_range, io_length.
[[nodiscard]] Result<Done> check_answer(const Parameters& parameters, const Answer& answer);

}  // namespace ringfort::rgsw
