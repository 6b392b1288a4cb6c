// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels of the encoders for an instruction set.
#pragma once

#include "base/cpu.h"
#include "ring/encoding/kernels.h"

namespace ringfort::encoding {

[[nodiscard]] const Kernels& kernels_of(Isa isa) noexcept;  // the machine must have this set
[[nodiscard]] const Kernels& chosen_kernels() noexcept;     // kernels of the set that this process uses (base/cpu.h)

}  // namespace ringfort::encoding
