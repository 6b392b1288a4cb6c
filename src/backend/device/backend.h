// SPDX-License-Identifier: Apache-2.0
// The backend of all GPUs. It uses the functions of a driver (driver.h). Buffers are in the GPU's memory. A stream is a
// queue of work on the GPU. run() returns when the work is on a stream; it does not wait for the work to end.
#pragma once

#include <memory>

#include "backend/device/driver.h"
#include "backend/device/transform_options.h"

namespace ringfort::device {

// Creates the backend. `choice` selects its transforms. Returns nullptr if memory runs out.
[[nodiscard]] std::shared_ptr<Backend> make(std::unique_ptr<Driver> driver,
                                            const TransformChoice& choice = {}) noexcept;

}  // namespace ringfort::device
