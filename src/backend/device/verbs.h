// SPDX-License-Identifier: Apache-2.0
// Turns verbs into calls on a stream of a driver.
#pragma once

#include "backend/device/calls.h"

namespace ringfort::device {

// Puts the verb's work on the stream. When it returns, it has read the verb's host memory.
Status submit(const Caller& caller, const Verb& verb) noexcept;

// Tells whether the second verb transforms what the first one copies. submit_inverse() then submits both, without a
// copy.
[[nodiscard]] bool are_inverse_of_copy(const Verb& first, const Verb& second) noexcept;
Status submit_inverse(const Caller& caller, const verb::Copy& copied) noexcept;

}  // namespace ringfort::device
