// SPDX-License-Identifier: Apache-2.0
// A loaded DPU program: instructions, first contents of WRAM and MRAM, symbols, stacks and source lines, taken from an ELF
// file that may be hostile: every offset is checked, nothing is allocated from an unchecked length.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "chip.h"
#include "failure.h"
#include "line_table.h"

namespace ringfort::pim {

struct Symbol {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
};

struct Piece {
  std::uint32_t address = 0;
  std::vector<std::uint8_t> bytes;
};

struct Program {
  std::vector<std::uint32_t> instructions;  // from kIramBase
  std::vector<Piece> memory;                // WRAM and MRAM, as initialised
  std::map<std::string, Symbol, std::less<>> symbols;
  unsigned tasklets = 1;
  // Stack of tasklet t: [stacks[t], stacks[t + 1]).
  std::array<std::uint32_t, kMostTasklets + 1> stacks{};
  LineTable lines;
};

Loaded<Program> load_program(std::span<const std::uint8_t> elf, const Chip& chip);
Loaded<Program> load_program_file(const std::string& path, const Chip& chip);

}  // namespace ringfort::pim
