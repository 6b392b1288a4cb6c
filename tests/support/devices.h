// SPDX-License-Identifier: Apache-2.0
// Devices that suites of all words and all moduli run on. The others say in Capabilities::plans what they take, and
// have suites of their own.
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/devices.h"

namespace ringfort::testing {

inline std::vector<std::string_view> general_devices() {
  std::vector<std::string_view> names;
  for (const std::string_view name : backend_names()) {
    const auto backend = open_backend(name);
    if (backend == nullptr || backend->capabilities().plans.empty()) names.push_back(name);
  }
  return names;
}

// Every device. Runs under a cap of the CPU's instruction set leave simulated ones out: they compute the same as
// without it.
inline std::vector<std::string_view> all_devices() {
  std::vector<std::string_view> names;
  for (const std::string_view name : backend_names()) {
    const auto backend = open_backend(name);
    const bool simulated = backend != nullptr && backend->capabilities().simulated_time;
    if (!simulated || std::getenv("RINGFORT_CPU") == nullptr) names.push_back(name);
  }
  return names;
}

}  // namespace ringfort::testing
