// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a program that compute with 64-bit words. The DPU can load and store a 64-bit word by one
// instruction. RV32 needs two accesses to neighbouring 32-bit words. In the functions that this file finds, two
// accesses to neighbouring words count as one. In other functions, the two words may be separate 32-bit values.
// Therefore the accesses count as two, unless Timing::fuse_pairs is true. hw/pim/README.md explains the terms.
#pragma once

#include <vector>

#include "program.h"
#include "words.h"

namespace ringfort::pim {

// Returns a flag for each instruction: 1 if its function computes with 64-bit words. A function computes with 64-bit
// words if it carries from a sum or difference of lower words into the upper words, or if it compares the two halves of
// 64-bit words for equality.
std::vector<u8> in_functions_of_64_bit_words(const Program& program);

}  // namespace ringfort::pim
