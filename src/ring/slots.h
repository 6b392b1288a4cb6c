// SPDX-License-Identifier: Apache-2.0
// Slots of a ring element, permuted by powers of 5: a matrix of 2 x n/2 whose place (0, j) is the value at psi^(5^j)
// and (1, j) the one at psi^(-5^j), psi a primitive 2n-th root of unity (minimal modulo a prime, exp(pi i / n) in C,
// where row 1 is the conjugate of row 0). The automorphism x -> x^g moves them: g = 5^k rotates both rows left by k, g
// = -1 swaps the rows.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

// 5^steps mod 2n: both rows to the left by steps, any integer. n a power of two, 4 .. 2^17.
[[nodiscard]] u32 rotation_element(u32 n, i64 steps) noexcept;

// -1 mod 2n: rows swapped, slots of complex numbers conjugated.
[[nodiscard]] constexpr u32 swap_rows_element(u32 n) noexcept { return 2 * n - 1; }

// [row * n/2 + column] = where the canonical (bit-reversed) order of evaluations holds this slot.
[[nodiscard]] std::vector<u32> slot_positions(u32 n);

}  // namespace ringfort
