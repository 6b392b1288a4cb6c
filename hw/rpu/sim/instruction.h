// SPDX-License-Identifier: Apache-2.0
// One decoded instruction. Its fields have the names of the encoding. In scalar forms vt is RT. In vector loads and
// stores vs and vt are mode and value, and vd of a store is its source.
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
  }  // a broadcast repeats one word
  [[nodiscard]] u32 value() const noexcept { return has_mode() ? vt : 0; }
};

struct Decoded {
  Instruction instruction;
  Trap trap = Trap::none;
};

// Decodes a word. Finds every illegal case that the manual assigns to the decoder, in the order of the trap codes.
[[nodiscard]] Decoded decode(u64 word) noexcept;

// Returns the word of an instruction; the inverse of decode().
[[nodiscard]] u64 encode(const Instruction& instruction) noexcept;

// Returns the instruction in the assembler's notation.
[[nodiscard]] std::string format(const Instruction& instruction);

// Returns the offset of element i from the base, in words.
[[nodiscard]] constexpr u64 element_offset(Mode mode, u32 value, u32 i) noexcept {
  switch (mode) {
    case Mode::linear: return i;
    case Mode::stride: return static_cast<u64>(i) << value;
    case Mode::skip: return (i & ((u64{1} << value) - 1)) + ((static_cast<u64>(i) >> value) << (value + 1));
    case Mode::repeat: return i & ((u64{1} << value) - 1);
  }
  return i;
}

// Sets of the vector registers that an instruction reads and writes: bit r is register r.
struct VectorUse {
  u64 reads = 0;
  u64 writes = 0;
  [[nodiscard]] u64 all() const noexcept { return reads | writes; }
};
[[nodiscard]] VectorUse vector_use(const Instruction& instruction) noexcept;

// Returns the set of single-port memories, 16 in all, that a set of registers uses: register r is in memory r >> 2.
[[nodiscard]] constexpr u16 memories_of(u64 registers) noexcept {
  u16 mask = 0;
  for (unsigned memory = 0; memory < kRegisters / 4; ++memory)
    if (((registers >> (4 * memory)) & 0xF) != 0) mask = static_cast<u16>(mask | (1U << memory));
  return mask;
}

[[nodiscard]] const TrapInfo& trap_info(Trap trap) noexcept;  // trap != none

}  // namespace ringfort::rpu
