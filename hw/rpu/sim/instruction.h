// SPDX-License-Identifier: Apache-2.0
// One decoded instruction. Its fields have the names of the encoding (doc/isa.md). In instructions with a scalar
// operand, vt is the number of the scalar register. In vector loads and stores, vs is the addressing mode and vt is
// `value`. In a store, vd is the source.
#pragma once

#include <string>

#include "sim/isa_tables.h"
#include "sim/word.h"

namespace ringfort::rpu {

struct Instruction {
  Op op = Op::vload;
  u8 vd = 0, vs = 0, vt = 0, vt1 = 0, vd1 = 0, rm = 0;
  u32 address = 0;
  bool end = false;

  [[nodiscard]] const InstructionInfo& info() const noexcept { return kInstructions[static_cast<std::size_t>(op)]; }
  [[nodiscard]] bool has_mode() const noexcept { return op == Op::vload || op == Op::vstore; }
  [[nodiscard]] Mode mode() const noexcept {
    return has_mode() ? static_cast<Mode>(vs) : Mode::repeat;
  }  // a broadcast has no mode: it repeats one word
  [[nodiscard]] u32 value() const noexcept { return has_mode() ? vt : 0; }
};

struct Decoded {
  Instruction instruction;
  Trap trap = Trap::none;
};

// Decodes a word. Finds every illegal case for which the manual names the decoder. If there are several, returns the
// one with the smallest trap code.
[[nodiscard]] Decoded decode(u64 word) noexcept;

// Returns the word of an instruction. This is the inverse function of decode().
[[nodiscard]] u64 encode(const Instruction& instruction) noexcept;

// Returns the instruction in the assembler's notation.
[[nodiscard]] std::string format(const Instruction& instruction);

// Returns the offset of element i from the base address, in words.
[[nodiscard]] constexpr u64 element_offset(Mode mode, u32 value, u32 i) noexcept {
  switch (mode) {
    case Mode::linear: return i;
    case Mode::stride: return static_cast<u64>(i) << value;
    case Mode::skip: return (i & ((u64{1} << value) - 1)) + ((static_cast<u64>(i) >> value) << (value + 1));
    case Mode::repeat: return i & ((u64{1} << value) - 1);
  }
  return i;
}

// The vector registers that an instruction reads, and those that it writes. Bit r of a set is register r.
struct VectorUse {
  u64 reads = 0;
  u64 writes = 0;
  [[nodiscard]] u64 all() const noexcept { return reads | writes; }
};
[[nodiscard]] VectorUse vector_use(const Instruction& instruction) noexcept;

// Returns the set of register memories (hw/rpu/README.md) that contain the registers of a set. Register r is in memory
// r >> 2, and bit m of the result is memory m.
[[nodiscard]] constexpr u16 memories_of(u64 registers) noexcept {
  u16 mask = 0;
  for (unsigned memory = 0; memory < kRegisters / 4; ++memory)
    if (((registers >> (4 * memory)) & 0xF) != 0) mask = static_cast<u16>(mask | (1U << memory));
  return mask;
}

[[nodiscard]] const TrapInfo& trap_info(Trap trap) noexcept;  // trap != none

}  // namespace ringfort::rpu
