// SPDX-License-Identifier: Apache-2.0
// Checks verbs (operations on polynomials, backend/verbs.h), and replaces those that a device does not run by others
// that it runs. Device::run calls these functions.
#pragma once

#include "backend/backend.h"

namespace ringfort {

// Status::ok, or the status of the first verb whose operands are wrong, with the verb's name.
struct ContractCheck {
  Status status = Status::ok;
  std::string_view verb;
};
[[nodiscard]] ContractCheck check_contracts(std::span<const Verb> verbs) noexcept;

// Tells whether the device fuses all optional verbs among these, so that they can run unchanged.
[[nodiscard]] bool runs_all(const Backend& backend, std::span<const Verb> verbs) noexcept;

// Returns verbs that the device runs and that give the same results as `verbs`.
[[nodiscard]] Sequence composed(const Backend& backend, std::span<const Verb> verbs);

}  // namespace ringfort
