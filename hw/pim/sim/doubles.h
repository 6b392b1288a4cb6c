// SPDX-License-Identifier: Apache-2.0
// Functions of a program that compute with 64-bit words. RV32 has no loads and stores of such words; the DPU has. Two
// neighbouring accesses in such a function count as one; in others they may belong to two 32-bit words.
#pragma once

#include <vector>

#include "program.h"
#include "words.h"

namespace ringfort::pim {

// Returns a flag for each instruction. A function is one that carries from a sum or a difference of lower words into
// the upper words, or that compares both halves of a word for equality.
std::vector<u8> in_functions_of_64_bit_words(const Program& program);

}  // namespace ringfort::pim
