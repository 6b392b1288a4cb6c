// SPDX-License-Identifier: Apache-2.0
// Converts Ring-GSW objects to and from the numbers that files contain. A ciphertext has 2 l rows (state.h), for l
// digits and the ring degree n. Rows are canonical residues in [0, q), in the evaluation domain and in bit-reversed
// order. For encryptions under the secret key (secret-key mode), a file has only c0 of each row. The component c1 is
// expanded from the public seed, at the address (uniform_a, number of the bit in its call of encrypt, row). In
// public-key mode, a file has c0 and c1 of each row. The import functions check the range of every number.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/rgsw_search.h"

namespace ringfort::rgsw {

// Returns how many words an encrypted bit has in a file: 2 l n in secret-key mode, and 4 l n in public-key mode.
[[nodiscard]] std::size_t exported_words(const Parameters& parameters, Mode mode) noexcept;
[[nodiscard]] std::size_t exported_bits(const Parameters& parameters) noexcept;  // bits per residue: ceil(log2 q)

// Writes fresh encryptions, which come from encrypt or import_bits. Throws unsupported for results of operations.
// out.size() must be bits.size() * exported_words.
void export_bits(const EncryptedBits& bits, std::span<u64> out);
// Writes one bit. out.size() must be exported_words. The caller can pack the bit while it is in the CPU's cache.
void export_bit(const EncryptedBits& bits, u32 index, std::span<u64> out);
[[nodiscard]] PublicSeed public_seed(const EncryptedBits& bits);  // zero in public-key mode

// Encrypted bits from a file. indices[i] is the number of bit i in its call of encrypt. Therefore a reader may take
// only some bits of a word.
struct StoredBits {
  Mode mode;
  const PublicSeed& seed;
  std::span<const u32> indices;
  std::span<const u64> residues;
};

// Fills `out` with indices.size() encrypted bits. Reuses the memory of `out` if it is large enough. After a failure
// (io_length, io_range, mode_forbidden, or an error of the device) `out` is empty.
[[nodiscard]] Result<Done> import_bits(EncryptedBits& out, const Context& context, const StoredBits& stored);

// Makes a secret key. `coefficients` must have n values in {-1, 0, 1}. Failures: io_length, io_range.
[[nodiscard]] Result<SecretKey> import_secret_key(const Context& context, std::span<const i8> coefficients);
[[nodiscard]] std::span<const i8> secret_coefficients(const SecretKey& key);  // valid as long as the key

// Makes a public key. `b` must have n residues in the evaluation domain. Failures: io_length, io_range, mode_forbidden.
[[nodiscard]] Result<PublicKey> import_public_key(const Context& context, const PublicSeed& seed,
                                                  std::span<const u64> b);
[[nodiscard]] PublicSeed public_seed(const PublicKey& key);
[[nodiscard]] std::vector<u64> public_residues(const PublicKey& key);

// Checks the digest, the plan, the lengths and the ranges of an answer. It computes the plan again and compares it.
// Failures: io_digest, io_range, io_length, mode_forbidden, noise_bound_exceeded, and the errors of plan_search.
[[nodiscard]] Result<Done> check_answer(const Parameters& parameters, const Answer& answer);

}  // namespace ringfort::rgsw
