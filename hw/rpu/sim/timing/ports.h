// SPDX-License-Identifier: Apache-2.0
// The register memories, and the cycles in which instructions use them. A lane has 16 such memories, with four vector
// registers in each. A memory has a single port, and therefore serves one read or one write per cycle. A window is the
// range of cycles in which an instruction uses a memory. If an instruction starts at cycle T, it reads the memories of
// its sources in [T, T + occupancy). It writes the memories of its destinations in [T + latency, T + latency +
// occupancy). hw/rpu/README.md explains the terms.
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
  // Returns the pc of an instruction whose reservation conflicts with windows that start at `start`, if there is one.
  [[nodiscard]] std::optional<u32> conflict(const PortWindows& w, u64 start) const noexcept {
    const auto reading = overlapping(w.read_memories, start, start + w.occupancy);
    return reading ? reading : overlapping(w.write_memories, start + w.latency, start + w.latency + w.occupancy);
  }

  void reserve(const PortWindows& w, u64 start, u32 pc) {
    add(w.read_memories, {start, start + w.occupancy, pc});
    add(w.write_memories, {start + w.latency, start + w.latency + w.occupancy, pc});
  }

  // Drops the windows that have ended before `now`. Afterwards the caller must not query earlier cycles.
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
