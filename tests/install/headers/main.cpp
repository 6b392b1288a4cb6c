// SPDX-License-Identifier: Apache-2.0
// Checks, through the installed headers, which devices are built in: one device of every kind, and the vector kernels
// by name.
#include <ringfort/device.h>

#include <algorithm>
#include <iostream>

int main() {
  const auto found = ringfort::devices();
  const auto has = [&](const char* name) {
    return std::any_of(found.begin(), found.end(), [&](const auto& device) { return device.name == name; });
  };
  for (const auto& device : found) std::cout << device.name << ' ' << device.instruction_set << '\n';
  bool all = has("cpu") && has("ref") && has("pim") && has("rpu") && has("cpu:generic");
#if defined(__x86_64__)
  all &= has("cpu:avx2") == static_cast<bool>(__builtin_cpu_supports("avx2"));
  all &= has("cpu:ifma") == static_cast<bool>(__builtin_cpu_supports("avx512ifma"));
#endif
  return all ? 0 : 1;
}
