// SPDX-License-Identifier: Apache-2.0
// printf of DPU programs, run by the simulator. Format and arguments are in WRAM by the RV32 calling convention.
#pragma once

#include <span>
#include <string>

#include "words.h"

namespace ringfort::pim {

// Formats %d %i %u %x %X %c %s %p %% with flags, width, precision (of %s) and l, ll, h, z; copies anything else
// unchanged. Addresses outside WRAM end the text.
std::string formatted(std::span<const u8> wram, u32 format, u32 arguments);

}  // namespace ringfort::pim
