// SPDX-License-Identifier: Apache-2.0
// Lists the devices for tests. general_devices() is for suites that use all word sizes and all moduli. It omits devices
// that support only a part of them and state this in Capabilities::plans. Such devices have suites of their own.
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

// Tells whether the driver of a vendor runs the device.
inline bool has_vendors_driver(std::string_view device) {
  return device.starts_with("cuda:") || device.starts_with("opencl:");
}
// Tells whether the device runs the kernels of GPUs.
inline bool has_gpu_kernels(std::string_view device) {
  return device.starts_with("emu:") || has_vendors_driver(device);
}

// Returns the emulated GPU, which backend_names() omits. If RINGFORT_DEVICE names a GPU and this GPU opens, the result
// contains the named GPU too. The emulated GPU takes part in comparisons without the checks inside kernels, because
// these checks make it about four times slower. tests/unit/backend_device and the unit suites on "emu" run with these
// checks.
inline std::vector<std::string_view> tested_gpus() {
  std::vector<std::string_view> names;
  constexpr std::string_view kName = "emu:0,checks=off";
  if (open_backend(kName) != nullptr) names.push_back(kName);  // a build without simulated devices has no emulated GPU
  const std::string_view named = environment_device();
  if (has_vendors_driver(named) && open_backend(named) != nullptr) names.push_back(named);
  return names;
}

// Returns every device. If RINGFORT_CPU limits the CPU's instruction set, omits simulated devices, because their
// results do not depend on this limit.
inline std::vector<std::string_view> all_devices() {
  std::vector<std::string_view> names;
  for (const std::string_view name : backend_names()) {
    const auto backend = open_backend(name);
    const bool simulated = backend != nullptr && backend->capabilities().simulated_time;
    if (!simulated || std::getenv("RINGFORT_CPU") == nullptr) names.push_back(name);
  }
  for (const std::string_view name : tested_gpus()) names.push_back(name);
  return names;
}

}  // namespace ringfort::testing
