// SPDX-License-Identifier: Apache-2.0
// Translates a caller's verbs to verbs that a device runs.
#pragma once

#include "backend/backend.h"

namespace ringfort {

// The first broken contract with the verb's name, or Status::ok.
struct ContractCheck {
  Status status = Status::ok;
  std::string_view verb;
};
[[nodiscard]] ContractCheck check_contracts(std::span<const Verb> verbs) noexcept;

// Tells whether the device fuses all optional verbs among these, so that they can run unchanged.
[[nodiscard]] bool runs_all(const Backend& backend, std::span<const Verb> verbs) noexcept;

// Returns verbs that the device runs, with the same results.
[[nodiscard]] Sequence composed(const Backend& backend, std::span<const Verb> verbs);

}  // namespace ringfort
