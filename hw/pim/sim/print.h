// SPDX-License-Identifier: Apache-2.0
// printf of DPU programs, done by the simulator: the format and the arguments lie in WRAM as the RV32 convention puts
// them.
#pragma once

#include <span>
#include <string>

#include "words.h"

namespace ringfort::pim {

// %d %i %u %x %X %c %s %p %% with flags, width, precision (of %s) and l, ll, h, z; anything else is copied as it
// stands. Addresses outside WRAM end the text.
std::string formatted(std::span<const u8> wram, u32 format, u32 arguments);

}  // namespace ringfort::pim
