// SPDX-License-Identifier: Apache-2.0
// Pairs and triples of RV32 instructions that are one instruction of the DPU, found in straight-line code.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Replaces the operation at the first place of each group; the other places keep theirs, for jumps into the group.
void fuse_pairs(std::span<const u32> words, const Timing& timing, std::vector<Operation>& operations);

}  // namespace ringfort::pim
