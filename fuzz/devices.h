// SPDX-License-Identifier: Apache-2.0
// The devices that the targets backends.cpp and limbs.cpp compare.
#pragma once

#include <string>
#include <vector>

#include "ringfort/device.h"

// Returns the name "ref", and then a name for each instruction set of this machine, such as "cpu:generic" and
// "cpu:avx2".
inline std::vector<std::string> compared_devices() {
  std::vector<std::string> names = {"ref"};
  for (const auto& device : ringfort::devices())
    if (device.name.starts_with("cpu:")) names.push_back(device.name);
  return names;
}
