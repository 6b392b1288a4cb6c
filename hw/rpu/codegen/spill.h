// SPDX-License-Identifier: Apache-2.0
// Moves some values to memory and back if more values are live at a time than there are registers. Operations are in
// depth-first order, and the value whose next use is latest leaves its register [Belady66]. It is stored behind the
// table, and loaded again before its next use. A constant is not stored, only loaded again.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

// Returns the plan with at most `registers` data values in registers at a time, if each operation's own values permit
// it.
[[nodiscard]] Plan spilled(const Plan& plan, u32 registers);

}  // namespace ringfort::rpu
