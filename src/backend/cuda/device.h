// SPDX-License-Identifier: Apache-2.0
// The devices `cuda:N`. They are the backend of GPUs (device/backend.h) over NVIDIA's driver library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device/driver.h"
#include "backend/device/transform_options.h"

namespace ringfort::cuda {

// Opens "cuda" (cuda:0) or "cuda:DEVICE". DEVICE is the number that NVIDIA's driver gives to the device. The options
// choose the transforms (device/transform_options.h). If an option is invalid, or if the driver, the device or the
// kernels are missing or too old, returns nullptr and sets `refusal`. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);
// Opens the driver without a backend, for the benchmark. Sets `choice` to the transforms that the options choose.
[[nodiscard]] std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal,
                                                   device::TransformChoice& choice);

// Returns the names of the GPUs that NVIDIA's driver finds: "cuda:0", "cuda:1" and so on. If it finds none, `refusal`
// is the reason. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> names(std::string& refusal);

}  // namespace ringfort::cuda
