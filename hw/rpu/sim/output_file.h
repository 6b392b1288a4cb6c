// SPDX-License-Identifier: Apache-2.0
// Output files of the simulators' programs. If there is a link at the path of an output file, the program refuses to
// write. Otherwise an attacker could put a link there and make the program overwrite another file.
#pragma once

#include <fstream>
#include <functional>
#include <string>

namespace ringfort::rpu {

// Creates a file, or empties an existing one. Throws Refusal for a link, a pipe, a socket or a folder, and if the file
// cannot be opened.
[[nodiscard]] std::ofstream create_file(const std::string& path);
// Closes a file that create_file has made. Throws Refusal if a byte was not written, for example on a full disk.
void close_file(std::ofstream& file, const std::string& path);
// Creates a file, calls `fill` to write its content, and closes it. Errors: those of create_file and close_file.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& fill);
// Flushes std::cout. Throws Refusal if a byte was not written, for example on a full disk.
void flush_output();

}  // namespace ringfort::rpu
