// SPDX-License-Identifier: Apache-2.0
// The driver of OpenCL's devices (backend/device/driver.h): OpenCL 2.0 or later with shared virtual memory, whose
// addresses are the same for host and device. Kernels are compiled when they are first needed, by the vendor's driver.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/device/driver.h"
#include "backend/opencl/kernel_cache.h"
#include "backend/opencl/library.h"

namespace ringfort::opencl {

// Opens device `index` of find_devices(), or a tile of it: "opencl:INDEX.TILE". Compiled modules are taken from the
// cache and kept in it. Returns nullptr with the reason in `refusal`. Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<device::Driver> open(const Library& library, u32 index, std::optional<u32> tile,
                                                   std::string& refusal,
                                                   KernelCache cache = KernelCache::of_environment());

}  // namespace ringfort::opencl
