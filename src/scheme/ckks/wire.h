// SPDX-License-Identifier: Apache-2.0
// CKKS objects as the numbers that files hold (rlwe/wire.h). A bound is scale, magnitude and error; the double of the
// level's scale stands for the exact scale. The receiver knows the error of a fresh ciphertext: that of encoding and
// encrypting values within a magnitude.
#pragma once

#include "ringfort/ckks.h"
#include "rlwe/wire.h"

namespace ringfort::ckks {

[[nodiscard]] wire::ParameterFacts facts(const Parameters& parameters);
[[nodiscard]] Result<Parameters> import_parameters(const wire::ParameterFacts& facts);  // io_range
[[nodiscard]] const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept;
[[nodiscard]] wire::BoundNumbers bound_numbers(const Context& context, const Ciphertext& ciphertext);

// Makes a ciphertext. Without trust_bound a fresh ciphertext gets the receiver's bound (Parameters::magnitude), and
// others are rejected. Errors: mode_forbidden, io_range.
[[nodiscard]] Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                                   const wire::BoundNumbers& numbers, bool trust_bound);

}  // namespace ringfort::ckks
