// SPDX-License-Identifier: Apache-2.0
// What CKKS objects are in files, as numbers (rlwe/wire.h). Numbers of a bound: scale, magnitude, error; the double
// next to the scale of the level means that scale. What a fresh ciphertext's error is, the receiver knows: encoding and
// encryption of values within a magnitude.
#pragma once

#include "ringfort/ckks.h"
#include "rlwe/wire.h"

namespace ringfort::ckks {

[[nodiscard]] wire::ParameterFacts facts(const Parameters& parameters);
[[nodiscard]] Result<Parameters> import_parameters(const wire::ParameterFacts& facts);  // io_range
[[nodiscard]] const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept;
[[nodiscard]] wire::BoundNumbers bound_numbers(const Context& context, const Ciphertext& ciphertext);

// Without trust a fresh ciphertext has the receiver's bounds (Parameters::magnitude), others are refused
// (mode_forbidden). Codes: io_range as well.
[[nodiscard]] Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                                   const wire::BoundNumbers& numbers, bool trust_bound);

}  // namespace ringfort::ckks
