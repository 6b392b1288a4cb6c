// SPDX-License-Identifier: Apache-2.0
// RV32I with Zba and Zbb and the DPU's custom opcodes (sdk/dpu/dpu_isa.h), decoded once into operations. If two RV32
// instructions are one DPU instruction, the operation at the first place does the work of both. The operation at the
// second place stays, because a jump may lead there.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Decodes the words. A word that is not an instruction becomes an operation that faults when it runs. Returns one more
// operation than words; this last operation faults.
std::vector<Operation> decode(std::span<const u32> words, const Timing& timing, std::span<const u8> wide);

// Returns 1 for each word whose operation only accesses registers and cannot fault. No other tasklet can observe when
// such an operation runs.
std::vector<u8> private_operations(std::span<const u32> words, const std::vector<Operation>& operations);

}  // namespace ringfort::pim
