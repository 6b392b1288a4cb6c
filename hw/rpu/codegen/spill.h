// SPDX-License-Identifier: Apache-2.0
// Keeps some values in memory for a while if more values are live at a time than there are registers. In depth-first
// order, the value with the latest next use leaves its register [Belady66]. The value is stored after the table, and
// loaded again before its next use. A constant is not stored, only loaded again.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

// Returns the plan with at most `registers` data values in registers at a time, if each operation's own values permit
// it.
[[nodiscard]] Plan spilled(const Plan& plan, u32 registers);

}  // namespace ringfort::rpu
