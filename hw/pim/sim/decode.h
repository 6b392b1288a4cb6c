// SPDX-License-Identifier: Apache-2.0
// RV32I with Zba and Zbb and the DPU's custom opcodes (sdk/dpu/dpu_isa.h), decoded once into operations. If two
// successive RV32 instructions correspond to one DPU instruction, the operation at the address of the first instruction
// does the work of the two. The second instruction is also decoded alone, because a jump may lead to its address.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Decodes the words. A word that is not an instruction becomes an operation that faults when it runs. After the last
// word, adds one more operation that faults.
std::vector<Operation> decode(std::span<const u32> words, const Timing& timing, std::span<const u8> wide);

// Returns 1 for each word whose operation only accesses registers and cannot fault. Other tasklets cannot observe the
// time at which such an operation runs.
std::vector<u8> private_operations(std::span<const u32> words, const std::vector<Operation>& operations);

}  // namespace ringfort::pim
