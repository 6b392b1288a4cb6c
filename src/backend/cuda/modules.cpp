// SPDX-License-Identifier: Apache-2.0
// Finds kernels in the text of a PTX module (modules.h). The build generates the list of modules.
#include "backend/cuda/modules.h"

namespace ringfort::cuda {

bool has_kernel(std::string_view module, std::string_view kernel) noexcept {
  constexpr std::string_view kEntry = ".entry ";
  for (std::size_t at = module.find(kEntry); at != module.npos; at = module.find(kEntry, at)) {
    at += kEntry.size();
    const std::string_view name = module.substr(at, module.find('(', at) - at);
    if (name == kernel) return true;
  }
  return false;
}

}  // namespace ringfort::cuda
