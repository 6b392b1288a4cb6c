// SPDX-License-Identifier: Apache-2.0
// Output files of the programs. A program does not follow a link at the place of its output file. Otherwise an attacker
// could put a link there to make the program overwrite another file.
#pragma once

#include <fstream>
#include <functional>
#include <string>

namespace ringfort::rpu {

// Creates or empties a file. Errors: Refusal, also for a link, a pipe, a socket or a folder.
[[nodiscard]] std::ofstream create_file(const std::string& path);
// Closes a file that create_file made. Errors: Refusal if not every byte was written, for instance on a full disk.
void close_file(std::ofstream& file, const std::string& path);
// Creates a file, lets `fill` write it, and closes it. Errors: those of create_file and close_file.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& fill);
// Flushes std::cout. Errors: Refusal, for instance on a full disk.
void flush_output();

}  // namespace ringfort::rpu
