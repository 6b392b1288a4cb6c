// SPDX-License-Identifier: Apache-2.0
// A loaded DPU program: instructions, initial contents of WRAM and MRAM, symbols, stacks and source lines. An attacker
// may have written the ELF file. Therefore the loader checks every offset, and checks every length before it allocates
// memory. hw/pim/README.md explains the terms.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "chip.h"
#include "failure.h"
#include "line_table.h"
#include "words.h"

namespace ringfort::pim {

struct Symbol {
  u32 address = 0;
  u32 bytes = 0;
};

struct MemorySegment {
  u32 address = 0;
  std::vector<u8> bytes;
};

struct Program {
  std::vector<u32> instructions;      // the first instruction has address kIramBase
  std::vector<MemorySegment> memory;  // initial contents of WRAM and MRAM
  std::map<std::string, Symbol, std::less<>> symbols;
  unsigned tasklets = 1;
  // The stack of tasklet t has the addresses from stacks[t] to stacks[t + 1] - 1.
  std::array<u32, kMostTasklets + 1> stacks{};
  LineTable lines;
};

Loaded<Program> load_program(std::span<const u8> elf, const Chip& chip);
Loaded<Program> load_program_file(const std::string& path, const Chip& chip);

}  // namespace ringfort::pim
