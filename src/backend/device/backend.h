// SPDX-License-Identifier: Apache-2.0
// The backend of all GPUs, over a driver. Buffers are in device memory; verbs return when their work is on a stream.
#pragma once

#include <memory>

#include "backend/device/driver.h"

namespace ringfort::device {

// Returns nullptr without memory.
[[nodiscard]] std::shared_ptr<Backend> make(std::unique_ptr<Driver> driver) noexcept;

}  // namespace ringfort::device
