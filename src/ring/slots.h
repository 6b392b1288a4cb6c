// SPDX-License-Identifier: Apache-2.0
// The slots of a polynomial are a matrix of 2 x n/2. Slot (0, j) is its value at psi^(5^j), and slot (1, j) its value
// at psi^(-5^j). psi is a primitive 2n-th root of unity: the smallest one modulo a prime, or exp(pi i / n) for complex
// numbers, where row 1 is the conjugate of row 0. The automorphism x -> x^g permutes the slots: g = 5^k rotates both
// rows left by k, and g = -1 swaps the rows.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

// Returns 5^steps mod 2n, which rotates both rows left by any integer `steps`. n is a power of two, 4 .. 2^17.
[[nodiscard]] u32 rotation_element(u32 n, i64 steps) noexcept;

// Returns -1 mod 2n, which swaps the rows, or conjugates complex slots.
[[nodiscard]] constexpr u32 swap_rows_element(u32 n) noexcept { return 2 * n - 1; }

// Returns positions: positions[row * n/2 + column] is the index of this slot in the canonical (bit-reversed) order.
[[nodiscard]] std::vector<u32> slot_positions(u32 n);

// The same positions as tables for vector kernels, with lines of `lanes` words (SlotLines in ring/encoding/kernels.h).
// lanes is a power of two, at most 256, and n >= 2 lanes^2. Columns that are n / 2 / lanes apart differ only in the
// highest bits of (5^j - 1) / 4, which are the lowest bits of the position, so that they share a line.
struct SlotLineTables {
  std::vector<u32> line;
  std::vector<u8> from, to;
};
[[nodiscard]] SlotLineTables slot_lines(const std::vector<u32>& positions, u32 lanes);

}  // namespace ringfort
