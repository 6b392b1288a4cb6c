// SPDX-License-Identifier: Apache-2.0
// The driver of NVIDIA's GPUs (backend/device/driver.h). It shares the primary context of the device with the rest of
// the process. Kernels are loaded when they are first needed; the vendor's driver compiles them then.
#pragma once

#include <memory>
#include <string>

#include "backend/device/driver.h"

namespace ringfort::cuda {

// Opens device `index`, "cuda:INDEX". Returns nullptr with the reason in `refusal`. Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<device::Driver> open(u32 index, std::string& refusal);

}  // namespace ringfort::cuda
