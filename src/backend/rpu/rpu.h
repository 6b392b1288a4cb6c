// SPDX-License-Identifier: Apache-2.0
// Backend `rpu`: verbs as generated B512 programs on the simulated ring processor of hw/rpu, exact in values, with what the
// hardware would take in time and energy (docs/notes/0011, docs/rpu.md). Evaluation order is the canonical one.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::rpu_host {

class Library;

// The programs of a machine; `options`: name=value,... as of `ringfort rpu ntt --set`. Throws std::runtime_error with what is
// wrong with them and what to write instead.
[[nodiscard]] std::shared_ptr<Library> make_library(std::string_view options);

// Libraries may be shared; every backend has a processor, memories and clocks of its own.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view name, std::shared_ptr<Library> library);

}  // namespace ringfort::rpu_host
