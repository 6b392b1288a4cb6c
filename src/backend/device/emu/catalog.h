// SPDX-License-Identifier: Apache-2.0
// The kernels of the emulator by name. Modules of GPUs use the same names: the build makes both from the list in
// backend/device/kernels/catalog.cmake.
#pragma once

#include <span>
#include <string_view>

#include "backend/device/emu/kernel.h"

namespace ringfort::emu {

// Returns nullptr if there is no kernel of this name.
[[nodiscard]] const EmuKernel* find_kernel(std::string_view name) noexcept;

// Returns all kernels, for tests.
[[nodiscard]] std::span<const std::span<const EmuKernel>> kernel_families() noexcept;

}  // namespace ringfort::emu
