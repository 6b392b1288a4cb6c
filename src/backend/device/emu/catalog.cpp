// SPDX-License-Identifier: Apache-2.0
// Finds a kernel of the emulator by name (catalog.h). The build generates the tables of kernels.
#include "backend/device/emu/catalog.h"

namespace ringfort::emu {

const EmuKernel* find_kernel(std::string_view name) noexcept {
  for (const auto& family : kernel_families()) {
    for (const EmuKernel& kernel : family) {
      if (name == kernel.name) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace ringfort::emu
