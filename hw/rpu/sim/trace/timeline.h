// SPDX-License-Identifier: Apache-2.0
// Timelines of a finished Timing: a Konata log (one line per instruction, with its stages), and a Chrome or Perfetto
// trace (one track per pipe, and one for the waits of the front end; a cycle of the machine is shown as 1 us).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/timing/timing.h"

namespace ringfort::rpu {

// The stages of an instruction: D in the front end, Q in the queue, X in the pipe (it reads operands), W until its
// results are written.
void write_konata(std::ostream& out, const std::vector<Record>& records);
void write_chrome(std::ostream& out, const std::vector<Record>& records);

// Returns the cycles that the instruction waited, by cause, for example "busyboard 12 (by 17), port 2": 12 cycles for
// instruction 17. Returns "" if it did not wait.
[[nodiscard]] std::string explain_stalls(const Record& record);

}  // namespace ringfort::rpu
