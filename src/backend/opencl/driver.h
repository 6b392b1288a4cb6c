// SPDX-License-Identifier: Apache-2.0
// The driver of OpenCL's devices (backend/device/driver.h). It needs OpenCL 2.0 or later with shared virtual memory,
// whose addresses are the same for the host and the device. The vendor's driver compiles kernels when they are first
// needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/device/driver.h"
#include "backend/opencl/kernel_cache.h"
#include "backend/opencl/library.h"

namespace ringfort::opencl {

// Opens device `index` of find_devices(), or a tile of this device: "opencl:INDEX.TILE". The driver reads compiled
// modules from the cache, and writes the modules that it compiles to the cache. On failure, returns nullptr and sets
// `refusal` to the reason. Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<device::Driver> open(const Library& library, u32 index, std::optional<u32> tile,
                                                   std::string& refusal,
                                                   KernelCache cache = KernelCache::of_environment());

}  // namespace ringfort::opencl
