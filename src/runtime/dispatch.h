// SPDX-License-Identifier: Apache-2.0
// From the verbs that a caller wants to those that a device runs.
#pragma once

#include "backend/backend.h"

namespace ringfort {

// The first contract that is broken, with the verb's name; Status::ok if none is.
struct ContractCheck {
  Status status = Status::ok;
  std::string_view verb;
};
[[nodiscard]] ContractCheck check_contracts(std::span<const Verb> verbs) noexcept;

// Whether the device fuses all optional verbs among these: they can run as they are.
[[nodiscard]] bool runs_all(const Backend& backend, std::span<const Verb> verbs) noexcept;

// What the device runs in their place.
[[nodiscard]] Sequence composed(const Backend& backend, std::span<const Verb> verbs);

}  // namespace ringfort
