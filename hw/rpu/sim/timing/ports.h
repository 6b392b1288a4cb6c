// SPDX-License-Identifier: Apache-2.0
// The 16 single-port memories of every register slice, with the cycles in which instructions use them. An instruction
// that starts at T reads its sources' memories in [T, T + occupancy) and writes its destinations' memories in [T +
// latency, T + latency + occupancy).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

struct PortWindows {
  u16 read_memories = 0;
  u16 write_memories = 0;
  u32 occupancy = 0;
  u32 latency = 0;
};

class PortTable {
 public:
  // Returns the pc of a reservation that conflicts with an instruction that starts at `start`, if any.
  [[nodiscard]] std::optional<u32> conflict(const PortWindows& w, u64 start) const noexcept {
    const auto reading = overlapping(w.read_memories, start, start + w.occupancy);
    return reading ? reading : overlapping(w.write_memories, start + w.latency, start + w.latency + w.occupancy);
  }

  void reserve(const PortWindows& w, u64 start, u32 pc) {
    add(w.read_memories, {start, start + w.occupancy, pc});
    add(w.write_memories, {start + w.latency, start + w.latency + w.occupancy, pc});
  }

  // Drops the windows that end by `now`. The caller must not query earlier cycles afterwards.
  void forget_before(u64 now) {
    for (auto& memory : memories_) std::erase_if(memory, [now](const Window& window) { return window.end <= now; });
  }

 private:
  struct Window {
    u64 begin;
    u64 end;
    u32 pc;
  };

  [[nodiscard]] std::optional<u32> overlapping(u16 memories, u64 begin, u64 end) const noexcept {
    for (u32 rest = memories; rest != 0; rest &= rest - 1)
      for (const Window& window : memories_[static_cast<u32>(std::countr_zero(rest))])
        if (window.begin < end && begin < window.end) return window.pc;
    return std::nullopt;
  }
  void add(u16 memories, const Window& window) {
    for (u32 rest = memories; rest != 0; rest &= rest - 1)
      memories_[static_cast<u32>(std::countr_zero(rest))].push_back(window);
  }

  std::array<std::vector<Window>, kRegisters / 4> memories_;
};

}  // namespace ringfort::rpu
