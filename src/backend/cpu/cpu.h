// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "base/cpu.h"

namespace ringfort::cpu {

// Kernels of `isa` at most; the machine must have it. `name` is a literal. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view name, Isa isa);

}  // namespace ringfort::cpu
