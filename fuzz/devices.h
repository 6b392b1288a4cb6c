// SPDX-License-Identifier: Apache-2.0
// The devices that the targets backends.cpp and limbs.cpp compare.
#pragma once

#include <string>
#include <vector>

#include "ringfort/device.h"

// Returns "ref", then the CPU's kernels for each instruction set that this machine has ("cpu:generic", "cpu:avx2").
inline std::vector<std::string> compared_devices() {
  std::vector<std::string> names = {"ref"};
  for (const auto& device : ringfort::devices())
    if (device.name.starts_with("cpu:")) names.push_back(device.name);
  return names;
}
