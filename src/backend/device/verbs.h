// SPDX-License-Identifier: Apache-2.0
// Turns verbs into calls on a stream of a driver.
#pragma once

#include "backend/device/device_plan.h"

namespace ringfort::device {

// Puts the verb's work on the stream. When it returns, it has read the verb's host memory.
Status submit(Pool& pool, u32 stream, const Verb& verb) noexcept;

}  // namespace ringfort::device
