// SPDX-License-Identifier: Apache-2.0
// Positions of slots, and the tables of positions for vector kernels (slots.h).
#include "ring/slots.h"

#include <bit>

#include "base/assert.h"
#include "math/prime.h"

namespace ringfort {

namespace {

u32 reversed(u32 index, u32 bits) noexcept {
  u32 out = 0;
  for (u32 i = 0; i < bits; ++i) out |= (index >> i & 1) << (bits - 1 - i);
  return out;
}

}  // namespace

u32 rotation_element(u32 n, i64 steps) noexcept {
  RF_ASSERT(std::has_single_bit(n) && n >= 4 && n <= (1u << 17));
  const u32 mask = 2 * n - 1;
  // The order of 5 modulo 2n is n/2, a power of two. Therefore a mask reduces steps.
  u32 power = 1, square = 5;
  for (u64 rest = static_cast<u64>(steps) & (n / 2 - 1); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = power * square & mask;
    square = square * square & mask;
  }
  return power;
}

u32 inverse_element(u32 element, u32 n) noexcept {
  RF_ASSERT(element % 2 == 1 && element < 2 * n);
  return static_cast<u32>(*inverse_mod(element, u64{2} * n));
}

std::vector<u32> slot_positions(u32 n) {
  RF_ASSERT(std::has_single_bit(n) && n >= 4 && n <= (1u << 17));
  const u32 bits = static_cast<u32>(std::countr_zero(n));
  std::vector<u32> positions(n);
  u32 power = 1;
  for (u32 j = 0; j < n / 2; ++j) {  // evaluation k is at psi^(2 reversed(k) + 1)
    positions[j] = reversed((power - 1) / 2, bits);
    positions[n / 2 + j] = reversed((2 * n - power - 1) / 2, bits);
    power = power * 5 & (2 * n - 1);
  }
  return positions;
}

SlotLineTables slot_lines(const std::vector<u32>& positions, u32 lanes) {
  const u32 n = static_cast<u32>(positions.size()), columns = n / 2 / lanes;
  RF_ASSERT(std::has_single_bit(lanes) && lanes <= 256 && columns >= lanes);
  SlotLineTables tables{std::vector<u32>(n / lanes), std::vector<u8>(n), std::vector<u8>(n)};
  for (u32 first = 0; first < n / lanes; ++first) {
    const u32* const slots = positions.data() + first / columns * (n / 2) + first % columns;
    const u32 line = slots[0] / lanes;
    tables.line[first] = line;
    for (u32 i = 0; i < lanes; ++i) {
      const u32 position = slots[i * columns];
      RF_ASSERT(position / lanes == line);
      tables.to[line * lanes + i] = static_cast<u8>(position % lanes);
      tables.from[position] = static_cast<u8>(i);
    }
  }
  return tables;
}

}  // namespace ringfort
