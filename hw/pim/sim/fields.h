// SPDX-License-Identifier: Apache-2.0
// The fields of a RISC-V instruction word, and the opcodes of RV32I.
#pragma once

#include "words.h"

namespace ringfort::pim {

inline i32 as_signed(u32 a) { return static_cast<i32>(a); }

struct Fields {
  u32 word, opcode, rd, funct3, rs1, rs2, funct7;
  explicit Fields(u32 w)
      : word(w),
        opcode(w & 127),
        rd(w >> 7 & 31),
        funct3(w >> 12 & 7),
        rs1(w >> 15 & 31),
        rs2(w >> 20 & 31),
        funct7(w >> 25) {}
  i32 i_immediate() const { return as_signed(word) >> 20; }
  i32 s_immediate() const { return (as_signed(word) >> 25 << 5) | as_signed(rd); }
  i32 b_immediate() const {
    return (as_signed(word) >> 31 << 12) |
           as_signed((word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1);
  }
  i32 j_immediate() const {
    return (as_signed(word) >> 31 << 20) |
           as_signed((word >> 12 & 255) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 1023) << 1);
  }
};

enum Opcode : u32 {
  kLoad = 0x03,
  kImmediate = 0x13,
  kAuipc = 0x17,
  kStore = 0x23,
  kRegister = 0x33,
  kLui = 0x37,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6f
};
inline constexpr u32 kStackPointer = 2;

}  // namespace ringfort::pim
