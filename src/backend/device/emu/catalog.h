// SPDX-License-Identifier: Apache-2.0
// Finds the kernels of the emulator by name. Modules of GPUs use the same names: the build makes the lists of both from
// backend/device/kernels/catalog.cmake.
#pragma once

#include <span>
#include <string_view>

#include "backend/device/emu/kernel.h"

namespace ringfort::emu {

// Returns the kernel of this name, or nullptr if there is none.
[[nodiscard]] const EmuKernel* find_kernel(std::string_view name) noexcept;

// Returns all kernels. Tests use this function.
[[nodiscard]] std::span<const std::span<const EmuKernel>> kernel_families() noexcept;

}  // namespace ringfort::emu
