// SPDX-License-Identifier: Apache-2.0
// Pictures of time: the records of a finished Timing as a Konata log (one line for each instruction, with its stages)
// and as a Chrome or Perfetto trace (one track for each pipe and one for what the front end waits for; 1 us there = 1
// cycle).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Stages: D in the front end, Q in the queue, X in the pipe (reading operands), W results on their way.
void write_konata(std::ostream& out, const std::vector<Record>& records);
void write_chrome(std::ostream& out, const std::vector<Record>& records);

// "busyboard 12 (by 17), port 2", or "" where nothing hindered the instruction.
[[nodiscard]] std::string explain_stalls(const Record& record);

}  // namespace ringfort::rpu
