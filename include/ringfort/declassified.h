// SPDX-License-Identifier: Apache-2.0
// Marks the places where a condition on secret values becomes public, for example because an error reports it. A branch
// on a marked condition reveals no more than the report. The programs of tests/constant_time report every other branch
// on a secret.
#pragma once

namespace ringfort {

// Returns `verdict` unchanged. Use it only for a condition that the caller learns anyway, not for any other value.
[[nodiscard]] bool declassified(bool verdict) noexcept;

}  // namespace ringfort
