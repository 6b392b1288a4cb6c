// SPDX-License-Identifier: Apache-2.0
// Refuses a link, a folder or a pipe under the given path, then creates or empties the file.
#include "sim/output_file.h"

#include <filesystem>

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

}  // namespace ringfort::rpu
