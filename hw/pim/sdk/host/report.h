// SPDX-License-Identifier: Apache-2.0
// Reads two environment variables, for host programs that cannot be changed. The keys in RINGFORT_PIM_PROFILE are
// appended to the keys of dpu_alloc's profile. If RINGFORT_PIM_REPORT is set, the library reports the simulated time of
// each system when the system is freed, or when the process ends. If the value of RINGFORT_PIM_REPORT is "1", the
// report is a few sentences on stderr. Any other value is the name of a file, and each system appends a line of JSON to
// this file.
#pragma once

#include <string>

namespace ringfort::pim {

struct System;

// Returns the value of RINGFORT_PIM_PROFILE, or an empty text if it is not set.
std::string added_profile();

// Registers a system for the report, if RINGFORT_PIM_REPORT is set. Returns false if the file cannot be written.
bool begin_report(System& system);
// Writes the report of a registered system and removes it.
void end_report(System& system);

}  // namespace ringfort::pim
