// SPDX-License-Identifier: Apache-2.0
// Timelines of a finished run in two formats. Konata, a viewer of pipelines, shows one line for each instruction, with
// its stages. A Chrome or Perfetto trace has one track for each pipe, and one for the waits of the front end; a cycle
// is shown as 1 us. hw/rpu/README.md explains the terms.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Writes a Konata log. The stages of an instruction are: D: in the front end; Q: in the queue; X: in the pipe, while it
// reads operands; W: until its results are written.
void write_konata(std::ostream& out, const std::vector<Record>& records);
void write_chrome(std::ostream& out, const std::vector<Record>& records);

// Returns the number of cycles that the instruction waited, for each cause; "" if it did not wait. Example: "queue 2,
// port 3 (by 17)" means 2 cycles for a place in the queue and 3 cycles for a port. Instruction 17 was the last blocker.
[[nodiscard]] std::string explain_stalls(const Record& record);

}  // namespace ringfort::rpu
