// SPDX-License-Identifier: Apache-2.0
// Finds groups of two to four successive RV32 instructions for which the DPU needs only one or two.
#pragma once

#include <span>
#include <vector>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

// Replaces the operation at the first place of each group; the other places keep their operations, for jumps into the
// group.
void fuse_pairs(std::span<const u32> words, std::span<const u8> wide, std::vector<Operation>& operations);

}  // namespace ringfort::pim
