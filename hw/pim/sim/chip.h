// SPDX-License-Identifier: Apache-2.0
// What a DPU is and how long things take: the two chips of the vendor's documentation, and the calibrated timing model.
// The DMA constants are a fit to 45 published points of a real DPU (data/dma_hardware.json). Not here: the host's side.
#pragma once

#include <cstdint>

namespace ringfort::pim {

inline constexpr std::uint32_t kIramBase = 0x80000000;
inline constexpr std::uint32_t kMramBase = 0x08000000;
inline constexpr std::uint32_t kMramBytes = 64u << 20;
inline constexpr std::uint32_t kAtomicBase = 0xF0000000;
inline constexpr unsigned kMostTasklets = 24;
inline constexpr std::uint32_t kLongestDma = 2048;

struct Chip {
  unsigned tasklets = 24;
  std::uint32_t iram_instructions = 4096;
  std::uint32_t wram_bytes = 65536;
  std::uint32_t atomic_bits = 56;
  double clock_mhz = 350;
};

inline constexpr Chip kV1A{};
inline constexpr Chip kV1B{16, 3968, 63488, 64, 400};

// One DMA transfer of s bytes holds the engine for (fixed + per_byte * s) / 100 cycles; its tasklet sleeps that long,
// plus the queue before it, plus `dma_wake_cycles`. While it streams, the engine takes WRAM slots away from the
// pipeline: one for every `bytes_per_stolen_slot` bytes, every second cycle at most; 0 turns that off.
struct Timing {
  std::uint32_t issue_interval = 11;
  std::uint32_t dma_fixed_centicycles = 3640;
  std::uint32_t dma_byte_centicycles = 54;
  std::uint32_t dma_wake_cycles = 20;
  std::uint32_t bytes_per_stolen_slot = 4;
  bool fuse = true;        // instruction pairs that are one instruction of the DPU cost one slot
  bool fuse_pairs = false; // also two neighbouring word accesses: right for programs on 64-bit data only
};

}  // namespace ringfort::pim
