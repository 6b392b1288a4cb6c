// SPDX-License-Identifier: Apache-2.0
// Conditional sums.
#pragma once

#include <stdint.h>

#include "hexl/util/util.hpp"

namespace intel {
namespace hexl {

// Adds `diff`, modulo 2^64, to the words for which the comparison with `bound` is true. n and diff are not 0.
void EltwiseCmpAdd(uint64_t* result, const uint64_t* operand1, uint64_t n, CMPINT cmp, uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
