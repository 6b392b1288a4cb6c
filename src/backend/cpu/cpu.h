// SPDX-License-Identifier: Apache-2.0
// Makes the backend of device `cpu`. It runs verbs by kernels for a given instruction set of the CPU.
#pragma once

#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "base/cpu.h"

namespace ringfort::cpu {

// Makes a backend whose kernels use at most the instruction set `isa`. The machine must support this instruction set.
// `name` must be a string literal, because the backend keeps only a view of it. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view name, Isa isa);

}  // namespace ringfort::cpu
