// SPDX-License-Identifier: Apache-2.0
// Marks the places where a verdict on secret values becomes public. The caller sees the error anyway, so a branch on
// its condition reveals nothing more. The programs of tests/constant_time report every branch on a secret that lacks
// this mark.
#pragma once

namespace ringfort {

// Returns `verdict` unchanged. Only for verdicts that the caller learns anyway, never for values.
[[nodiscard]] bool declassified(bool verdict) noexcept;

}  // namespace ringfort
