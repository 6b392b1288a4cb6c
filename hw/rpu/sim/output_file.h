// SPDX-License-Identifier: Apache-2.0
// Files that the programs write. Links are not followed, so that nobody can make a program overwrite another file by
// planting a link.
#pragma once

#include <fstream>
#include <functional>
#include <string>

namespace ringfort::rpu {

// Creates or empties a file. Errors: Refusal, also for a link, a pipe, a socket or a folder.
[[nodiscard]] std::ofstream create_file(const std::string& path);
// Closes a file that create_file made. Errors: Refusal if not every byte was written, for instance on a full disk.
void close_file(std::ofstream& file, const std::string& path);
// Creates a file, lets `fill` write it, and closes it. Errors: those of both.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& fill);
// Writes out what std::cout holds. Errors: Refusal, for instance on a full disk.
void flush_output();

}  // namespace ringfort::rpu
