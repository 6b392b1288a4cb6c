// SPDX-License-Identifier: Apache-2.0
// Turns verbs into calls on a stream of a driver (driver.h).
#pragma once

#include "backend/device/calls.h"

namespace ringfort::device {

// Puts the work of the verb on the stream. The function has read the host memory of the verb when it returns.
Status submit(const Caller& caller, const Verb& verb) noexcept;

// Tells whether the second verb is the inverse transform of the result of the first verb, which is a copy. If so,
// submit_inverse() submits both verbs without a copy.
[[nodiscard]] bool are_inverse_of_copy(const Verb& first, const Verb& second) noexcept;
Status submit_inverse(const Caller& caller, const verb::Copy& copied) noexcept;

}  // namespace ringfort::device
