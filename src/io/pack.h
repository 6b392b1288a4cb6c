// SPDX-License-Identifier: Apache-2.0
// Residues at their exact width: value i occupies bits [i*width, (i+1)*width) of the little-endian bit string.
// width 1..62; the last byte is filled with zero bits. Reading compares every value with the modulus.
// The inner loop works on groups of eight values (width bytes), one unaligned word each: the width is a template
// argument for the presets' 31 and 50 bits.
#pragma once

#include <span>

#include "math/types.h"

namespace ringfort::io {

[[nodiscard]] constexpr std::size_t packed_bytes(std::size_t count, unsigned width) noexcept {
  return (count * width + 7) / 8;
}
[[nodiscard]] constexpr unsigned residue_width(u64 q) noexcept {  // bits of q - 1
  unsigned width = 0;
  for (u64 top = q - 1; top != 0; top >>= 1) ++width;
  return width;
}

// out has exactly packed_bytes(values.size(), width) bytes; every value < 2^width.
void pack_residues(std::span<const u64> values, unsigned width, std::span<u8> out) noexcept;

// False if packed has not exactly packed_bytes(out.size(), width) bytes, a value is >= q, or a filling bit is set.
[[nodiscard]] bool unpack_residues(std::span<const u8> packed, unsigned width, u64 q, std::span<u64> out) noexcept;

}  // namespace ringfort::io
