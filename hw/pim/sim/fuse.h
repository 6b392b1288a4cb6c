// SPDX-License-Identifier: Apache-2.0
// Finds groups of two to four successive RV32 instructions for which the DPU needs only one or two. hw/pim/README.md
// explains the terms.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Replaces the first operation of each group by an operation that does the work of the group. The other operations of
// the group stay, because a jump may lead to them. `wide` has the flags of in_functions_of_64_bit_words() (doubles.h).
// If `wide` is empty, pairs of accesses are fused in every function.
void fuse_pairs(std::span<const u32> words, std::span<const u8> wide, std::vector<Operation>& operations);

}  // namespace ringfort::pim
