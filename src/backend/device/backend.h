// SPDX-License-Identifier: Apache-2.0
// The backend of all GPUs, over a driver. Buffers are in device memory; verbs return when their work is on a stream.
//
// It is in no list of devices yet: Lift, Decompose, ExpandUniform, Automorphism, BaseConvert and the element-wise verbs
// other than Copy and Zero are Status::unsupported.
#pragma once

#include <memory>

#include "backend/device/driver.h"

namespace ringfort::device {

// Returns nullptr without memory.
[[nodiscard]] std::shared_ptr<Backend> make(std::unique_ptr<Driver> driver) noexcept;

}  // namespace ringfort::device
