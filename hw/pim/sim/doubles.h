// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a program that compute with 64-bit words. The DPU loads and stores 64-bit words; RV32 does
// not. Therefore two accesses to neighbouring words count as one in these functions. In other functions, the accesses
// may belong to two 32-bit values, and count as two.
#pragma once

#include <vector>

#include "program.h"
#include "words.h"

namespace ringfort::pim {

// Returns a flag for each instruction: whether its function computes with 64-bit words. Such a function carries from a
// sum or difference of lower words into the upper words, or compares the two halves of a 64-bit word for equality.
std::vector<u8> in_functions_of_64_bit_words(const Program& program);

}  // namespace ringfort::pim
