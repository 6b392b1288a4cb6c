// SPDX-License-Identifier: Apache-2.0
// Decodes a program into operations (machine.h), before the program runs. The instructions are RV32I, its extensions
// Zba and Zbb (bit manipulation), and the DPU's custom opcodes (sdk/dpu/dpu_isa.h). If two to four successive RV32
// instructions correspond to fewer DPU instructions, the operation at the address of the first instruction does the
// work of the group. The other instructions are also decoded alone, because a jump may lead to their addresses.
// hw/pim/README.md explains the terms.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Decodes the words. `wide` is the result of in_functions_of_64_bit_words(). A word that is not an instruction becomes
// an operation that faults when it runs. After the operation of the last word, adds another operation that faults.
std::vector<Operation> decode(std::span<const u32> words, const Timing& timing, std::span<const u8> wide);

// Returns 1 for each word whose operation is private: it only accesses registers of its tasklet and cannot fault. Other
// tasklets cannot observe the time at which such an operation runs.
std::vector<u8> private_operations(std::span<const u32> words, const std::vector<Operation>& operations);

}  // namespace ringfort::pim
