// SPDX-License-Identifier: Apache-2.0
// Functions that Device::run calls before it runs verbs (operations on polynomials, backend/verbs.h). They check the
// verbs. If a device does not run (fuse) an optional verb, they replace the verb by other verbs that the device runs.
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

// Returns verbs that the device runs. They give the same results as `verbs`.
[[nodiscard]] Sequence composed(const Backend& backend, std::span<const Verb> verbs);

}  // namespace ringfort
