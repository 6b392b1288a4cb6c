// SPDX-License-Identifier: Apache-2.0
// Where a verdict on secret values becomes known: a refusal is an error that the caller sees, so the branch on its
// condition tells no more. Every such place is marked, and the programs of tests/constant_time, which look for branches
// on secrets, know them by this mark alone.
#pragma once

namespace ringfort {

// `verdict` as it is. Only for what is told anyway; never for a value.
[[nodiscard]] bool declassified(bool verdict) noexcept;

}  // namespace ringfort
