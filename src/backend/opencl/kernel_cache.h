// SPDX-License-Identifier: Apache-2.0
// Machine code of modules in a folder, for drivers of OpenCL that would compile a module again in every process. A file
// is the keyed BLAKE2b-256 digest of a binary, then the binary. The digest of the key names the file. A cache never
// makes an operation fail: what cannot be read, or is not what write() wrote, is missing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ringfort::opencl {

class KernelCache {
 public:
  // The most bytes of all files: 15 times the binaries of a device.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // An empty name: keeps nothing. The folder is made if it is missing. A folder that belongs to another user, or in
  // which others may write, keeps nothing.
  explicit KernelCache(std::string folder, std::size_t most_bytes = kMostBytes)
      : folder_(std::move(folder)),
        most_bytes_(most_bytes) {}
  // The folder that RINGFORT_KERNEL_CACHE names. Programs with the rights of another user ignore the variable.
  [[nodiscard]] static KernelCache of_environment();

  [[nodiscard]] bool keeps() const noexcept { return !folder_.empty(); }
  // Returns the binary of the key, or an empty string. Throws std::bad_alloc.
  [[nodiscard]] std::string read(std::string_view key) const;
  // Keeps a binary, and removes the files that were unused for the longest time if all would exceed the limit. Throws
  // std::bad_alloc.
  void write(std::string_view key, std::string_view binary) const;

 private:
  std::string folder_;
  std::size_t most_bytes_;
};

// Returns a text that differs between processors for which a compiler may make different code. Throws std::bad_alloc.
[[nodiscard]] std::string processor();

}  // namespace ringfort::opencl
