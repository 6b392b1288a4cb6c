// SPDX-License-Identifier: Apache-2.0
// The double of NVIDIA's driver library: a shared object with the name and the functions of libcuda.so.1, over emulated
// devices. It has four GPUs that run kernels on the host, as late as events and streams allow. Tests find this switch
// in it by name.
#pragma once

#include "backend/device/emu/driver.h"

namespace ringfort::testing {

// What a process has not given back to the library.
struct LibcudaUse {
  u64 contexts = 0, modules = 0, streams = 0, events = 0, device_blocks = 0, host_blocks = 0;
  bool operator==(const LibcudaUse&) const = default;
};

struct LibcudaSwitch {
  // Of devices that are opened later.
  emu::Failure failure{};
  u64 seed = 1;
  int devices = 4, version = 13'000, capability = 90;
  LibcudaUse use{};
  u64 calls_without_context = 0;  // that need one: each is refused
};

inline constexpr const char* kLibcudaSwitch = "ringfort_libcuda_switch";  // LibcudaSwitch* ()

}  // namespace ringfort::testing
