// SPDX-License-Identifier: Apache-2.0
// Backend `rpu`: runs verbs as generated programs on the simulated ring processor of hw/rpu. B512 is its instruction
// set. Values are exact; time and energy are those of the modelled hardware (docs/notes/0011, docs/rpu.md). The
// evaluation order is the canonical one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::rpu_host {

// Makes a backend with its own processor, memories and clocks. `device` is "rpu" or "rpu:name=value,..." with the
// parameters of `ringfort rpu ntt --set`. If it returns nullptr, `refusal` has the mistake and the fix. Throws
// std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);

}  // namespace ringfort::rpu_host
