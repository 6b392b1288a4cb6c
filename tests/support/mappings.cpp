// SPDX-License-Identifier: Apache-2.0
#include "support/mappings.h"

#include <fstream>
#include <sstream>

namespace ringfort::testing {

std::string flags_of_mapping(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (fields >> std::hex >> begin >> dash >> end && dash == '-') inside = begin <= wanted && wanted < end;
    else if (inside && line.rfind("VmFlags:", 0) == 0) return line.substr(8) + " ";
  }
  return {};
}

}  // namespace ringfort::testing
