// SPDX-License-Identifier: Apache-2.0
// The public view of the backend registry.
#include "ringfort/device.h"

#include "backend/backend.h"
#include "ringfort/error.h"

namespace ringfort {

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> found;
  for (const std::string_view name : backend_names()) {
    const auto backend = open_backend(name);
    if (backend == nullptr) continue;
    found.push_back({std::string(name), std::string(backend->capabilities().instruction_set)});
  }
  return found;
}

CpuCap cpu_cap() {
  const CpuChoice choice = cpu_choice();
  if (!choice.known) {
    throw Error(Code::invalid_argument, "RINGFORT_CPU=" + std::string(choice.requested) + " is no instruction set",
                "set it to ref, generic, avx2, avx512 or ifma, or unset it");
  }
  return {std::string(choice.requested), std::string(choice.used), choice.lowered};
}

}  // namespace ringfort
