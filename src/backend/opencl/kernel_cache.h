// SPDX-License-Identifier: Apache-2.0
// A cache of the machine code of modules, in a folder. Without it, some drivers of OpenCL would compile a module again
// in every process. A key is the text of all that determines the machine code: the module, the device, its driver and
// the options. The digest of this text is the name of a file. The file contains the BLAKE2b-256 digest of a binary,
// keyed with the first digest, and then the binary. A cache never makes an operation fail. A file that cannot be read,
// or that is not what write() wrote, counts as missing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ringfort::opencl {

class KernelCache {
 public:
  // Limit of the bytes of all files: 15 times the binaries of one device.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // An object with an empty folder name keeps nothing. The folder is made if it is missing. If it belongs to another
  // user, or if others may write in it, the object keeps nothing.
  explicit KernelCache(std::string folder, std::size_t most_bytes = kMostBytes)
      : folder_(std::move(folder)),
        most_bytes_(most_bytes) {}
  // Returns the cache in the folder that RINGFORT_KERNEL_CACHE names. Programs with the rights of another user ignore
  // this variable.
  [[nodiscard]] static KernelCache of_environment();

  [[nodiscard]] bool keeps() const noexcept { return !folder_.empty(); }
  // Returns the binary of the key, or an empty string if there is none. Throws std::bad_alloc.
  [[nodiscard]] std::string read(std::string_view key) const;
  // Keeps a binary. If all files together would exceed the limit, removes those that were unused for the longest time.
  // Throws std::bad_alloc.
  void write(std::string_view key, std::string_view binary) const;

 private:
  std::string folder_;
  std::size_t most_bytes_;
};

// Returns a text about this processor. The text differs between processors for which a compiler may make different
// code. Throws std::bad_alloc.
[[nodiscard]] std::string processor();

}  // namespace ringfort::opencl
