// SPDX-License-Identifier: Apache-2.0
// Files that the programs write. Links are not followed, so that nobody can make a program overwrite another file by
// planting a link.
#pragma once

#include <fstream>
#include <string>

namespace ringfort::rpu {

// Creates or empties a file. Errors: Refusal, also for a link, a pipe, a socket or a folder.
[[nodiscard]] std::ofstream create_file(const std::string& path);

}  // namespace ringfort::rpu
