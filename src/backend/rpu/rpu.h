// SPDX-License-Identifier: Apache-2.0
// Backend `rpu`: verbs as generated B512 programs on the simulated ring processor of hw/rpu, exact in values, with what
// the hardware would take in time and energy (docs/notes/0011, docs/rpu.md). Evaluation order is the canonical one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::rpu_host {

// "rpu" or "rpu:name=value,..." with the parameters of `ringfort rpu ntt --set`. A processor, memories and clocks of
// its own. nullptr: `refusal` says what is wrong with the parameters and what to write instead. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);

}  // namespace ringfort::rpu_host
