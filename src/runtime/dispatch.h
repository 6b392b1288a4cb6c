// SPDX-License-Identifier: Apache-2.0
// Functions that Device calls before it runs verbs (operations on polynomials, backend/verbs.h). They check the verbs,
// and replace each optional verb that the device does not fuse (compute itself) by verbs that the device computes.
#pragma once

#include "backend/backend.h"

namespace ringfort {

// The result of checking verbs. It has the status and the name of the first verb whose operands are wrong. If no
// operands are wrong, it is Status::ok.
struct ContractCheck {
  Status status = Status::ok;
  std::string_view verb;
};
[[nodiscard]] ContractCheck check_contracts(std::span<const Verb> verbs) noexcept;

// Tells whether the device fuses all optional verbs in `verbs`. If it does, the verbs can run unchanged.
[[nodiscard]] bool runs_all(const Backend& backend, std::span<const Verb> verbs) noexcept;

// Returns `verbs`, with a sequence of other verbs in place of each verb that the device does not fuse. The results are
// the same.
[[nodiscard]] Sequence composed(const Backend& backend, std::span<const Verb> verbs);

}  // namespace ringfort
