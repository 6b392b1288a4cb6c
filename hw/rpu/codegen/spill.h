// SPDX-License-Identifier: Apache-2.0
// Where more values live at a time than there are registers: the same dataflow with some of them kept in memory for a
// while. In depth-first order, a value that is needed latest of all makes room [Belady66]; it is stored behind the
// table, or not at all where it is a constant, and loaded again before its next use.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

// At most `registers` data values are in registers at a time, where each operation's own permit it.
[[nodiscard]] Plan spilled(const Plan& plan, u32 registers);

}  // namespace ringfort::rpu
