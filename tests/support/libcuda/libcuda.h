// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver library: a shared object with the name and the functions of libcuda.so.1. It emulates
// four GPUs. Their kernels run on the host, as late as events and streams allow. Tests look up the symbol that
// kLibcudaSwitch names. It is a function that returns a LibcudaSwitch. A test changes the behaviour of the library
// through this struct.
#pragma once

#include "backend/device/emu/driver.h"

namespace ringfort::testing {

// The numbers of objects that the process has created and not destroyed yet, by kind.
struct LibcudaUse {
  u64 contexts = 0, modules = 0, streams = 0, events = 0, device_allocations = 0, host_allocations = 0;
  bool operator==(const LibcudaUse&) const = default;
};

struct LibcudaSwitch {
  // Tests set the members from failure to shared_bytes before they open a device. `failure` and `seed` are those of
  // the emulator. `capability` is the compute capability times ten, and `version` is CUDA's version times a thousand.
  emu::Failure failure{};
  u64 seed = 1;
  int devices = 4, version = 13'000, capability = 90, shared_bytes = 48 * 1024;
  bool refuses_contexts = false;  // no context becomes current in a thread
  LibcudaUse use{};
  // The number of copies that went from the device to host memory that is not registered. NVIDIA's library makes such
  // copies through memory of its own, where words of a secret would stay.
  u64 pageable_copies_out = 0;
  u64 calls_without_context = 0;  // number of calls that were refused because the thread had no current context
};

inline constexpr const char* kLibcudaSwitch = "ringfort_libcuda_switch";  // LibcudaSwitch* ()

}  // namespace ringfort::testing
