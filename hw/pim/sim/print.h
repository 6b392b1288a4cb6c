// SPDX-License-Identifier: Apache-2.0
// printf of DPU programs, run by the simulator. Format and arguments are in WRAM by the RV32 calling convention.
#pragma once

#include <span>
#include <string>

#include "words.h"

namespace ringfort::pim {

// Formats %d %i %u %o %x %X %p %c %s %f %F %e %E %g %G %% with l, ll, h, z, a width, the flags - and 0, and a precision
// of texts and floating-point numbers. It accepts but ignores the flags + space # and the precision of integers, and
// copies any other conversion unchanged. Addresses outside WRAM end the text.
std::string formatted(std::span<const u8> wram, u32 format, u32 arguments);

}  // namespace ringfort::pim
