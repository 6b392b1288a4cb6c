// SPDX-License-Identifier: Apache-2.0
#include "backend/device/emu/catalog.h"

#include <array>

#include "backend/device/emu/families.h"

namespace ringfort::emu {

std::span<const std::span<const EmuKernel>> kernel_families() noexcept {
  static const std::array families{transforms_u32(), transforms_u64(), words_u32(), words_u64()};
  return families;
}

const EmuKernel* find_kernel(std::string_view name) noexcept {
  for (const auto& family : kernel_families()) {
    for (const EmuKernel& kernel : family) {
      if (name == kernel.name) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace ringfort::emu
