// SPDX-License-Identifier: Apache-2.0
// RV32I with Zba and Zbb and the DPU's custom opcodes (sdk/dpu/dpu_isa.h), decoded once into operations. Pairs that are
// one instruction of the DPU become one operation at the first place; the second place keeps its own, for jumps into
// the pair.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// A word that is no instruction becomes an operation that faults when it runs. One more operation than words.
std::vector<Operation> decode(std::span<const u32> words, const Timing& timing);

// Which of these words become operations that touch registers alone and cannot fault: their moment matters to nobody
// else.
std::vector<u8> private_operations(std::span<const u32> words, const std::vector<Operation>& operations);

}  // namespace ringfort::pim
