// SPDX-License-Identifier: Apache-2.0
// Moves some values to memory and back if more values are live (computed, and needed later) at a time than there are
// registers. Operations are in depth-first order. If a register is needed, the value whose next use is latest leaves
// its register [Belady66]. The value is stored behind the table of the plan, and loaded again before its next use. A
// constant is not stored: it is loaded again from the table.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

// Returns a plan with at most `registers` data values in registers at a time. It has more only if one operation needs
// more.
[[nodiscard]] Plan spilled(const Plan& plan, u32 registers);

}  // namespace ringfort::rpu
