// SPDX-License-Identifier: Apache-2.0
// A run of sections on one GPU, for the program gpu-bench and for `ringfort bench`.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/sections.h"

namespace ringfort::bench::gpu {

// Returns the names of all sections, in the order of their work.
[[nodiscard]] std::vector<std::string> section_names();

// Runs the sections with these names, or all sections if no name is given. Each section gets a share of the seconds. If
// there is a folder `out`, writes the results into it after every section. Errors: device_unknown; invalid_argument if
// there is no section with a given name.
void run_sections(const Options& options, const std::vector<std::string>& sections, Report& report);

}  // namespace ringfort::bench::gpu
