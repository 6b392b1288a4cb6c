// SPDX-License-Identifier: Apache-2.0
// The allocated memory of an emulated device. For each cell of four bytes, it records which lane wrote the cell last,
// and which lane read it last. Launches compare every access with these records. backend/device/team.h explains lanes,
// phases, blocks and clusters.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "math/types.h"

namespace ringfort::emu {

inline constexpr std::size_t kCellBytes = 4;

// The time and the lane of an access: epoch * 2^24 + lane. Each phase of each block has its own epoch, and epochs
// increase. Therefore an access belongs to the present phase if its stamp is not below the stamp of the beginning of
// the phase. The same holds for the present block, cluster and launch. A block outside clusters counts as a cluster.
using Stamp = u64;
inline constexpr u32 kStampLaneBits = 24;
inline constexpr Stamp kSeveralClusters = Stamp{1} << (kStampLaneBits - 1);  // added if several clusters read
inline constexpr Stamp kSeveralBlocks = kSeveralClusters / 2;  // added if several blocks of a cluster read
inline constexpr u32 kSeveralLanes = kSeveralBlocks - 1;       // in place of the number of a lane
inline constexpr Stamp kNever = 0, kByCopy = 1;
[[nodiscard]] constexpr Stamp stamp_of(u64 epoch, u32 lane) noexcept { return epoch << kStampLaneBits | lane; }
[[nodiscard]] constexpr u32 lane_of(Stamp stamp) noexcept { return static_cast<u32>(stamp % kSeveralBlocks); }

// The last accesses to a cell since the allocation.
struct Cell {
  Stamp write = kNever;
  Stamp read = kNever;
};

struct Region {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
  std::vector<Cell> cells;
  std::size_t unwritten = 0;  // cells that were never written
  [[nodiscard]] bool holds(const std::byte* p, std::size_t size) const noexcept {
    return p >= first && size <= bytes && static_cast<std::size_t>(p - first) <= bytes - size;
  }
};

// Not safe for several threads. add() throws std::bad_alloc.
class Regions {
 public:
  void add(std::byte* first, std::size_t bytes);
  void remove(const std::byte* first) noexcept;
  // Returns the region that contains all these bytes, or nullptr.
  [[nodiscard]] Region* find(const std::byte* p, std::size_t bytes) noexcept;
  // Marks memory that a copy or a fill has written. Returns false if no single region contains all these bytes.
  bool mark_written(const std::byte* p, std::size_t bytes) noexcept;
  // Tells whether all these bytes were written.
  [[nodiscard]] bool is_written(const std::byte* p, std::size_t bytes) noexcept;
  [[nodiscard]] u64 next_epoch() noexcept { return ++epoch_; }

 private:
  std::map<const std::byte*, Region> regions_;
  u64 epoch_ = 0;
};

}  // namespace ringfort::emu
