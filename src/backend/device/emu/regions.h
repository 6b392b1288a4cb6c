// SPDX-License-Identifier: Apache-2.0
// The allocated memory of an emulated device. For each cell of four bytes it records whether the cell was written, and
// which lane used it last. Launches compare every access with these records.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "math/types.h"

namespace ringfort::emu {

inline constexpr std::size_t kCellBytes = 4;
inline constexpr u32 kNobody = ~u32{0};       // no lane, no block
inline constexpr u32 kSeveral = ~u32{0} - 1;  // more than one lane or block

// The last uses of a cell in one launch. Phases are numbered through the whole launch.
struct Uses {
  u32 write_block = kNobody, write_phase = 0, write_lane = 0;
  u32 read_block = kNobody, read_phase = 0, read_lane = 0;
};

struct Cell {
  u64 launch = 0;  // launch that `uses` describes
  Uses uses;
  bool is_written = false;  // since the allocation
};

struct Region {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
  std::vector<Cell> cells;
  [[nodiscard]] bool holds(const std::byte* p, std::size_t size) const noexcept {
    return p >= first && size <= bytes && static_cast<std::size_t>(p - first) <= bytes - size;
  }
};

// Not thread safe. Throws std::bad_alloc.
class Regions {
 public:
  void add(std::byte* first, std::size_t bytes);
  void remove(const std::byte* first) noexcept;
  // Returns the region that contains all these bytes, or nullptr.
  [[nodiscard]] Region* find(const std::byte* p, std::size_t bytes) noexcept;
  // Marks memory that a copy or a fill has written. Returns false if the bytes are not all in one region.
  bool mark_written(const std::byte* p, std::size_t bytes) noexcept;
  // Tells whether all these bytes were written.
  [[nodiscard]] bool is_written(const std::byte* p, std::size_t bytes) noexcept;
  [[nodiscard]] u64 next_launch() noexcept { return ++launches_; }

 private:
  std::map<const std::byte*, Region> regions_;
  u64 launches_ = 0;
};

}  // namespace ringfort::emu
