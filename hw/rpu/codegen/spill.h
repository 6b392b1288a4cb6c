// SPDX-License-Identifier: Apache-2.0
// Keeps values in memory for a while where more are live at a time than there are registers. In depth-first order, the
// value with the latest next use makes room [Belady66]. It is stored after the table and loaded again before its next
// use; a constant is only loaded again.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

// Returns the plan with at most `registers` data values in registers at a time, if each operation's own values permit
// it.
[[nodiscard]] Plan spilled(const Plan& plan, u32 registers);

}  // namespace ringfort::rpu
