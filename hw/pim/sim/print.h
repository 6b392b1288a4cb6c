// SPDX-License-Identifier: Apache-2.0
// printf of DPU programs. The simulator formats the text. The format and the arguments are in WRAM, as the RV32 calling
// convention places them. hw/pim/README.md explains the terms.
#pragma once

#include <span>
#include <string>

#include "words.h"

namespace ringfort::pim {

// Formats %d %i %u %o %x %X %p %c %s %f %F %e %E %g %G %%. A conversion may have l, ll, h or z, a width, and the flags
// - and 0. Texts and floating-point numbers may have a precision. The function ignores the flags +, space and #, and
// the precision of integers. It copies any other conversion unchanged. Bytes outside WRAM are zeros.
std::string formatted(std::span<const u8> wram, u32 format, u32 arguments);

}  // namespace ringfort::pim
