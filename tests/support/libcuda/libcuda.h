// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver library: a shared object with the name and the functions of libcuda.so.1.
// It emulates four GPUs, which run kernels on the host as late as events and streams allow. Tests look up the symbol
// `kLibcudaSwitch` in the object, and change its behaviour through the struct that this function returns.
#pragma once

#include "backend/device/emu/driver.h"

namespace ringfort::testing {

// Objects of the library that the process created and has not destroyed yet.
struct LibcudaUse {
  u64 contexts = 0, modules = 0, streams = 0, events = 0, device_blocks = 0, host_blocks = 0;
  bool operator==(const LibcudaUse&) const = default;
};

struct LibcudaSwitch {
  // Tests set failure to shared_bytes before they open a device.
  emu::Failure failure{};
  u64 seed = 1;
  int devices = 4, version = 13'000, capability = 90, shared_bytes = 48 * 1024;
  LibcudaUse use{};
  // Number of copies from the device to host memory that is not registered. NVIDIA's library makes such copies through
  // its own memory.
  u64 pageable_copies_out = 0;
  u64 calls_without_context = 0;  // number of refused calls: they need a current context, and the thread had none
};

inline constexpr const char* kLibcudaSwitch = "ringfort_libcuda_switch";  // LibcudaSwitch* ()

}  // namespace ringfort::testing
