// SPDX-License-Identifier: Apache-2.0
// The slots of a polynomial are its values at roots of unity. Therefore sums and products of polynomials act on each
// slot. The slots are a matrix of 2 x n/2. Slot (0, j) is the value at psi^(5^j). Slot (1, j) is the value at
// psi^(-5^j). Here psi is a primitive 2n-th root of unity. Modulo a prime, it is the smallest one. For complex numbers,
// it is exp(pi i / n), and row 1 is the conjugate of row 0. The automorphism x -> x^g permutes the slots. With g = 5^k,
// it rotates both rows left by k. With g = -1, it swaps the rows.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

// Returns 5^steps mod 2n. This element rotates both rows left by `steps`, any integer. The degree n is a power of two
// in 4 .. 2^17.
[[nodiscard]] u32 rotation_element(u32 n, i64 steps) noexcept;

// Returns -1 mod 2n. This element swaps the rows or, for complex slots, conjugates them.
[[nodiscard]] constexpr u32 swap_rows_element(u32 n) noexcept { return 2 * n - 1; }

// Returns 1 / element modulo 2n. The element is odd and below 2n.
[[nodiscard]] u32 inverse_element(u32 element, u32 n) noexcept;

// Returns positions[row * n/2 + column], the index of this slot in the canonical (bit-reversed) order.
[[nodiscard]] std::vector<u32> slot_positions(u32 n);

// The same positions as tables for vector kernels. A line has `lanes` words (SlotLines in ring/encoding/kernels.h).
// `lanes` is a power of two, at most 256. The tables require n >= 2 lanes^2. The columns of a line are n / 2 / lanes
// apart. For these columns j, the numbers (5^j - 1) / 4 differ only in their highest bits, which are the lowest bits of
// the position. Therefore the slots of these columns are in one line.
struct SlotLineTables {
  std::vector<u32> line;
  std::vector<u8> from, to;
};
[[nodiscard]] SlotLineTables slot_lines(const std::vector<u32>& positions, u32 lanes);

}  // namespace ringfort
