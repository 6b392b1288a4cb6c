// SPDX-License-Identifier: Apache-2.0
// Reads the names of kernels and the version from modules of SPIR-V (modules.h).
#include "backend/opencl/modules.h"

#include <cstring>

#include "math/types.h"

namespace ringfort::opencl {

// A module consists of words of 32 bits. It has a header, then instructions. The first word of an instruction has the
// length and the opcode. An entry point has an execution model, an identifier, and a name that a zero byte ends.
bool has_kernel(std::string_view spirv, std::string_view kernel) noexcept {
  constexpr std::size_t kWord = sizeof(u32), kHeader = 5 * kWord, kNameAt = 3 * kWord;
  constexpr u32 kEntryPoint = 15;
  const auto word = [&](std::size_t at) {
    u32 value = 0;
    std::memcpy(&value, spirv.data() + at, kWord);
    return value;
  };
  for (std::size_t at = kHeader; at + kWord <= spirv.size();) {
    const std::size_t bytes = (word(at) >> 16) * kWord;
    if (bytes == 0 || bytes > spirv.size() - at) return false;
    if ((word(at) & 0xFFFF) == kEntryPoint && bytes > kNameAt) {
      const std::string_view name = spirv.substr(at + kNameAt, bytes - kNameAt);
      if (name.substr(0, name.find('\0')) == kernel) return true;
    }
    at += bytes;
  }
  return false;
}

bool needs_shuffles(std::string_view spirv) noexcept {
  constexpr u32 kFirstVersion = 0x00010300;  // second word of the header
  u32 version = 0;
  if (spirv.size() >= 2 * sizeof version) std::memcpy(&version, spirv.data() + sizeof version, sizeof version);
  return version >= kFirstVersion;
}

}  // namespace ringfort::opencl
