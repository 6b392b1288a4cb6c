// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "base/cpu.h"

namespace ringfort::cpu {

// Makes a backend with kernels up to `isa`, which the machine must have. `name` is a literal. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view name, Isa isa);

}  // namespace ringfort::cpu
