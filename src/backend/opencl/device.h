// SPDX-License-Identifier: Apache-2.0
// The devices `opencl:N` and `opencl:N.TILE`. They are the backend of GPUs (device/backend.h) over OpenCL. A tile is a
// part of a device with memory of its own, or one half of a CPU.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device/transform_options.h"
#include "backend/device/driver.h"

namespace ringfort::opencl {

// Opens "opencl" (opencl:0), "opencl:DEVICE", or a tile of a device: "opencl:DEVICE.TILE". GPUs have the lowest
// numbers. The options choose the transforms (device/transform_options.h). If an option is invalid, or if the library,
// the driver, the device or the kernels are missing, returns nullptr and sets `refusal`. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);
// Opens the driver without a backend, for the benchmark. Sets `choice` to the transforms that the options choose.
[[nodiscard]] std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal,
                                                   device::TransformChoice& choice);

// Returns the names "opencl:0", "opencl:1" and so on of the GPUs. It omits NVIDIA's GPUs, which have the names
// "cuda:0", "cuda:1" and so on. If it finds none, `refusal` is the reason. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> names(std::string& refusal);

}  // namespace ringfort::opencl
