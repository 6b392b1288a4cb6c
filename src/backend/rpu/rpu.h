// SPDX-License-Identifier: Apache-2.0
// Device `rpu` runs verbs as generated programs on the simulated ring processor of hw/rpu. The instruction set of the
// programs is B512. Values are exact. Time and energy are those of the modelled hardware (docs/notes/0011,
// docs/rpu.md). Evaluations are in the canonical order (backend/plan.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::rpu_host {

// Makes a device with its own processor, memories and clocks. `device` is "rpu" or "rpu:name=value,...", with the
// parameters of `ringfort rpu ntt --set`. On failure, returns nullptr and sets `refusal` to the mistake and the fix.
// Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);

}  // namespace ringfort::rpu_host
