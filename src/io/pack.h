// SPDX-License-Identifier: Apache-2.0
// Residues that are packed at their exact width, 1 .. 62 bits. Value i has the bits [i * width, (i + 1) * width) of a
// little-endian string of bits. Zero bits fill the last byte. Unpacking compares every value with the modulus. The
// inner loops process groups of eight values, which take `width` bytes, and load or store one unaligned word for each
// value. The widths of the presets, 31 and 50, are template arguments.
#pragma once

#include <span>

#include "math/types.h"

namespace ringfort::io {

[[nodiscard]] constexpr std::size_t packed_bytes(std::size_t count, unsigned width) noexcept {
  return (count * width + 7) / 8;
}
[[nodiscard]] constexpr unsigned residue_width(u64 q) noexcept {  // number of bits of q - 1
  unsigned width = 0;
  for (u64 top = q - 1; top != 0; top >>= 1) ++width;
  return width;
}

// Packs values below 2^width into `out`, which has exactly packed_bytes(values.size(), width) bytes.
void pack_residues(std::span<const u64> values, unsigned width, std::span<u8> out) noexcept;

// Returns false unless `packed` has exactly packed_bytes(out.size(), width) bytes, all values are below q, and all bits
// of the padding are zero.
[[nodiscard]] bool unpack_residues(std::span<const u8> packed, unsigned width, u64 q, std::span<u64> out) noexcept;

}  // namespace ringfort::io
