// SPDX-License-Identifier: Apache-2.0
// Converts BGV objects to and from the numbers that files contain (rlwe/integers/wire.h).
#pragma once

#include "ringfort/bgv.h"
#include "rlwe/wire.h"

namespace ringfort::bgv {

[[nodiscard]] wire::ParameterFacts facts(const Parameters& parameters);
[[nodiscard]] Result<Parameters> import_parameters(const wire::ParameterFacts& facts);  // io_range
[[nodiscard]] const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept;
[[nodiscard]] wire::BoundNumbers bound_numbers(const Ciphertext& ciphertext);

// Makes a ciphertext. If trust_bound is false, only fresh ciphertexts are accepted. Errors: mode_forbidden, io_range.
[[nodiscard]] Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                                   const wire::BoundNumbers& numbers, bool trust_bound);

}  // namespace ringfort::bgv
