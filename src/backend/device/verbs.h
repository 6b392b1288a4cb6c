// SPDX-License-Identifier: Apache-2.0
// Verbs as calls on a stream of a driver.
#pragma once

#include "backend/device/device_plan.h"

namespace ringfort::device {

// Puts the verb's work on the stream and has read its host memory when it returns.
Status submit(Pool& pool, u32 stream, const Verb& verb) noexcept;

}  // namespace ringfort::device
