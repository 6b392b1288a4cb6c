// SPDX-License-Identifier: Apache-2.0
// A temporary folder for one test. The destructor removes it with its contents.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "math/types.h"

namespace ringfort::testing {

class Folder {
 public:
  Folder() {
    // Prefers a folder in memory, because some tests call fsync thousands of times.
    const std::filesystem::path shared = "/dev/shm";
    const bool in_memory = ::access(shared.c_str(), W_OK) == 0;
    std::string pattern = ((in_memory ? shared : std::filesystem::temp_directory_path()) / "ringfort-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for the test: " + pattern);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::vector<u8> read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_all(const std::string& path, const std::vector<u8>& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace ringfort::testing
