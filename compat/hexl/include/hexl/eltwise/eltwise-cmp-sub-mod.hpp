// SPDX-License-Identifier: Apache-2.0
// Conditional differences of residues.
#pragma once

#include <stdint.h>

#include "hexl/util/util.hpp"

namespace intel {
namespace hexl {

// Reduces any words modulo `modulus`. Then subtracts `diff` from those whose comparison with `bound`, before the
// reduction, is true. n is not 0, and diff is in [1, modulus).
void EltwiseCmpSubMod(uint64_t* result, const uint64_t* operand1, uint64_t n, uint64_t modulus, CMPINT cmp,
                      uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
