// SPDX-License-Identifier: Apache-2.0
// Writes the schedule of a run, and the memories before and after the run. With these files and the trace of steps
// (steps.h), another implementation of the machine can be compared with this one. hw/rpu/README.md explains the terms,
// such as dispatch.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

// Writes a table with one line for each executed instruction. A line has the index of the instruction, the cycles of
// its dispatch, start and finish, and its text in assembly. A line also has, for each cause (Stall in timing.h), the
// number of cycles that the instruction waited in the front end.
void write_schedule(std::ostream& out, const std::vector<Record>& records);

// Write memories in the format that $readmemh, a function of Verilog, reads: one word per line, and a line `@address`
// before every run of words. Words that are zero may be left out.
void write_memory(std::ostream& out, const std::vector<u64>& words);
void write_memory(std::ostream& out, const std::vector<u128>& words);

// Writes lines `name value`: the index of the first instruction, the number of instructions of the program, the number
// of executed instructions, the trap, the index of the trapped or last instruction, and the number of cycles.
void write_outcome(std::ostream& out, const Kernel& kernel, std::size_t instructions, const Outcome& outcome,
                   u64 cycles);

}  // namespace ringfort::rpu
