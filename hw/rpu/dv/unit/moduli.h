// SPDX-License-Identifier: Apache-2.0
// Prime moduli of several tests, which are 1 mod 2^18: one of 128 bits, as in the paper, and the largest below 2^65.
#pragma once

#include "sim/word.h"

namespace ringfort::rpu {

inline constexpr u128 kPaperModulus = ~u128{0} - 63963134;
inline constexpr u128 k65Bits = (u128{1} << 65) - 1048575;

}  // namespace ringfort::rpu
