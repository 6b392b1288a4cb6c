// SPDX-License-Identifier: Apache-2.0
// The devices `opencl:N` and `opencl:N.TILE`: the backend of GPUs over OpenCL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device/transform_options.h"
#include "backend/device/driver.h"

namespace ringfort::opencl {

// Opens "opencl" (opencl:0), "opencl:DEVICE", or a part of a device: "opencl:DEVICE.TILE". GPUs come before other
// devices. Its options choose the transforms (device/transform_options.h). Returns nullptr and sets `refusal` for other
// options, or if library, driver, device or kernels are missing. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);
// Opens the driver without a backend, for the benchmark. Sets `choice` to the transforms that the options choose.
[[nodiscard]] std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal,
                                                   device::TransformChoice& choice);

// Returns the names "opencl:0" .. of the GPUs, without GPUs of NVIDIA, which have the names "cuda:0" .. If there are
// none, `refusal` is the reason. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> names(std::string& refusal);

}  // namespace ringfort::opencl
