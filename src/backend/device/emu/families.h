// SPDX-License-Identifier: Apache-2.0
// The parts of the catalog: each is compiled by itself.
#pragma once

#include <span>

#include "backend/device/emu/kernel.h"

namespace ringfort::emu {

[[nodiscard]] std::span<const EmuKernel> transforms_u32() noexcept;
[[nodiscard]] std::span<const EmuKernel> transforms_u64() noexcept;
[[nodiscard]] std::span<const EmuKernel> words_u32() noexcept;
[[nodiscard]] std::span<const EmuKernel> words_u64() noexcept;

}  // namespace ringfort::emu
