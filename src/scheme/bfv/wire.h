// SPDX-License-Identifier: Apache-2.0
// What BFV objects are in files, as numbers (rlwe/integers/wire.h).
#pragma once

#include "ringfort/bfv.h"
#include "rlwe/wire.h"

namespace ringfort::bfv {

[[nodiscard]] wire::ParameterFacts facts(const Parameters& parameters);
[[nodiscard]] Result<Parameters> import_parameters(const wire::ParameterFacts& facts);  // io_range
// Of a checked chain: the primes that products need beside it.
[[nodiscard]] std::size_t auxiliary_primes(const wire::ParameterFacts& facts);
[[nodiscard]] const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept;
[[nodiscard]] wire::BoundNumbers bound_numbers(const Ciphertext& ciphertext);

// Without trust only fresh ciphertexts are taken (mode_forbidden). Codes: io_range as well.
[[nodiscard]] Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                                   const wire::BoundNumbers& numbers, bool trust_bound);

}  // namespace ringfort::bfv
