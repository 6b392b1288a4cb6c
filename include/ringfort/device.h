// SPDX-License-Identifier: Apache-2.0
// Which devices this machine offers, and what RINGFORT_CPU made of the choice of CPU kernels.
#pragma once

#include <string>
#include <vector>

namespace ringfort {

struct DeviceInfo {
  std::string name;               // what Ntt(n, q, width, device) and every device option take: "cpu", "ref", "cpu:avx2"
  std::string instruction_set;    // of its kernels; empty where it means nothing
};

// Every device that opens on this machine, in the registry's order.
[[nodiscard]] std::vector<DeviceInfo> devices();

// RINGFORT_CPU=ref|generic|avx2|avx512|ifma caps the kernels of device "cpu". A cap above the machine is lowered.
struct CpuCap {
  std::string requested;          // the variable's text; empty when unset
  std::string used;               // one of the five names
  bool lowered = false;           // the machine has less than was asked for
};

// Errors: invalid_argument when the variable holds none of the five names.
[[nodiscard]] CpuCap cpu_cap();

}  // namespace ringfort
