// SPDX-License-Identifier: Apache-2.0
// Refuses a link, a folder or a pipe at the given path. Then creates the file, or empties it.
#include "sim/output_file.h"

#include <filesystem>
#include <iostream>

#include "sim/refusal.h"

namespace ringfort::rpu {

std::ofstream create_file(const std::string& path) {
  std::error_code failed;
  const auto found = std::filesystem::symlink_status(path, failed);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found) &&
      !std::filesystem::is_character_file(found))
    throw Refusal("cannot write " + path + ": it exists and is not a regular file", "give another path");
  std::ofstream file(path, std::ios::binary);
  if (!file) throw Refusal("cannot write " + path, "check the folder");
  return file;
}

void close_file(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) throw Refusal("cannot write all of " + path, "free space on the disk and repeat");
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& fill) {
  std::ofstream file = create_file(path);
  fill(file);
  close_file(file, path);
}

void flush_output() {
  if (!std::cout.flush()) throw Refusal("cannot write all of the standard output", "free space on the disk and repeat");
}

}  // namespace ringfort::rpu
