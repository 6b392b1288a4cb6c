// SPDX-License-Identifier: Apache-2.0
// Parameters of a DPU: the chips of the vendor's documentation (data/chips), and a timing model that is fitted to
// measurements. The constants of DMA are a fit to 45 published measurements of a real DPU (data/dma_hardware.json).
// sdk/host models the host.
#pragma once

#include <string_view>

#include "words.h"

namespace ringfort::pim {

inline constexpr u32 kIramBase = 0x80000000;
inline constexpr u32 kMramBase = 0x08000000;
inline constexpr u32 kMramBytes = 64u << 20;
inline constexpr u32 kAtomicBase = 0xF0000000;
inline constexpr unsigned kMostTasklets = 24;
inline constexpr u32 kLongestDma = 2048;

struct Chip {
  std::string_view name;
  unsigned tasklets = 0;
  u32 iram_instructions = 0, wram_bytes = 0, atomic_bits = 0, counters = 0;
  double clock_mhz = 0;
};

// A DMA transfer of s bytes occupies the engine for (fixed + per_byte * s) / 100 cycles. Its tasklet sleeps until
// earlier transfers and this one are complete, and `dma_wake_cycles` longer. During a transfer the engine takes issue
// slots from the pipeline: one slot for each `bytes_per_stolen_slot` bytes, at most every second cycle; the value 0
// turns this off.
struct Timing {
  u32 issue_interval = 11;
  u32 dma_fixed_centicycles = 3640;
  u32 dma_byte_centicycles = 54;
  u32 dma_wake_cycles = 20;
  u32 bytes_per_stolen_slot = 4;
  bool fuse = true;  // a group of RV32 instructions costs as many slots as the DPU needs (fuse.h)
  // If true, two neighbouring word accesses cost one slot in every function, not only in those that compute with 64-bit
  // words.
  bool fuse_pairs = false;
};

}  // namespace ringfort::pim

#include "chip_data.h"  // kChips, made by the build

namespace ringfort::pim {

// Returns nullptr if no chip has the name.
constexpr const Chip* find_chip(std::string_view name) {
  for (const Chip& chip : kChips) {
    if (chip.name == name) return &chip;
  }
  return nullptr;
}

inline constexpr const Chip& kV1A = *find_chip("v1A");
inline constexpr const Chip& kV1B = *find_chip("v1B");

}  // namespace ringfort::pim
