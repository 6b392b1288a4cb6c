// SPDX-License-Identifier: Apache-2.0
// Writes the schedule of a run, and the memories before and after it. Another implementation of the machine can be
// compared with these files and with the trace of steps.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Writes a table with one line for each executed instruction. A line has the instruction's place, the cycles of its
// dispatch, start and finish, the numbers of cycles for which it waited in the front end, by cause, and its text.
void write_schedule(std::ostream& out, const std::vector<Record>& records);

// Write memories as $readmemh reads them: one word a line, `@address` in front of every run of words; words that are
// zero may be missing.
void write_memory(std::ostream& out, const std::vector<u64>& words);
void write_memory(std::ostream& out, const std::vector<u128>& words);

// Writes lines `name value`: first instruction, number of instructions, how and where the run ended, and its cycles.
void write_outcome(std::ostream& out, const Kernel& kernel, std::size_t instructions, const Outcome& outcome,
                   u64 cycles);

}  // namespace ringfort::rpu
