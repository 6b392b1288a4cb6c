// SPDX-License-Identifier: Apache-2.0
// The driver of NVIDIA's GPUs (backend/device/driver.h). It uses the primary context of the device, a state that it
// shares with the rest of the process. Kernels are loaded when they are first needed. At that time, NVIDIA's driver
// compiles kernels that have no machine code for the device.
#pragma once

#include <memory>
#include <string>

#include "backend/device/driver.h"

namespace ringfort::cuda {

// Opens device `index`, which is "cuda:INDEX". On failure, returns nullptr and sets `refusal` to the reason. Throws
// std::bad_alloc.
[[nodiscard]] std::unique_ptr<device::Driver> open(u32 index, std::string& refusal);

}  // namespace ringfort::cuda
