// SPDX-License-Identifier: Apache-2.0
// Converts CKKS objects to and from the numbers that files contain (rlwe/wire.h). The numbers of a bound are scale,
// magnitude and error. If the stored scale equals the high double of the level's scale, the exact scale of the level is
// meant. If the receiver does not trust the writer, it computes the error of a fresh ciphertext itself: the error of
// encoding and encrypting values within Parameters::magnitude.
#pragma once

#include "ringfort/ckks.h"
#include "rlwe/wire.h"

namespace ringfort::ckks {

[[nodiscard]] wire::ParameterFacts facts(const Parameters& parameters);
[[nodiscard]] Result<Parameters> import_parameters(const wire::ParameterFacts& facts);  // io_range
[[nodiscard]] const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept;
[[nodiscard]] const RlweCiphertext& rlwe(const Plaintext& plaintext) noexcept;
[[nodiscard]] wire::BoundNumbers bound_numbers(const Context& context, const Ciphertext& ciphertext);

// Makes a ciphertext. If trust_bound is false, it rejects ciphertexts that are not fresh. It then also assumes that the
// values of a fresh ciphertext are at most Parameters::magnitude. Errors: mode_forbidden, io_range.
[[nodiscard]] Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                                   const wire::BoundNumbers& numbers, bool trust_bound);
// Makes a plaintext of an unguarded context.
[[nodiscard]] Plaintext unguarded_plaintext(RlweCiphertext&& component, double scale);

}  // namespace ringfort::ckks
