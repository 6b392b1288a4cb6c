// SPDX-License-Identifier: Apache-2.0
// Environment variables for host programs that cannot be changed. The keys in RINGFORT_PIM_PROFILE are appended to the
// keys of dpu_alloc's profile. If RINGFORT_PIM_REPORT is set, the simulated time of each system is reported when the
// system is freed, or when the process ends. "1" writes sentences to stderr. Any other value is the name of a file, to
// which each system appends a line of JSON.
#pragma once

#include <string>

namespace ringfort::pim {

struct System;

// Returns the keys of RINGFORT_PIM_PROFILE, or an empty text.
std::string added_profile();

// Registers a system for the report, if RINGFORT_PIM_REPORT is set. Returns false if the file cannot be written.
bool begin_report(System& system);
// Writes the report of a registered system and removes it.
void end_report(System& system);

}  // namespace ringfort::pim
