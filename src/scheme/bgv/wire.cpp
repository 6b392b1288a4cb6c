// SPDX-License-Identifier: Apache-2.0
// Converts BGV objects to and from the numbers that files contain (wire.h).
#include "scheme/bgv/wire.h"

#include "rlwe/integers/wire.h"
#include "scheme/bgv/policy.h"

namespace ringfort::bgv {

wire::ParameterFacts facts(const Parameters& p) { return {"bgv", p.chain, {p.plain_modulus}}; }

Result<Parameters> import_parameters(const wire::ParameterFacts& facts) {
  return integers::plain_parameters<Scheme>(facts);
}

const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept { return ciphertext.state().rlwe; }

wire::BoundNumbers bound_numbers(const Ciphertext& ciphertext) { return integers::bound_numbers_of(ciphertext); }

Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                     const wire::BoundNumbers& numbers, bool trust_bound) {
  return integers::ciphertext_of<Scheme>(context, std::move(ciphertext), numbers, trust_bound);
}

}  // namespace ringfort::bgv
