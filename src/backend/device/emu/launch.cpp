// SPDX-License-Identifier: Apache-2.0
// The checks and counters of a launch (launch.h). Counting follows NVIDIA's documents. A warp has 32 lanes. A request
// to shared memory is served in wavefronts of 128 bytes. A wavefront reads at most one word of four bytes from each of
// 32 banks. A request to global memory is served in sectors of 32 bytes.
#include "backend/device/emu/launch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "backend/device/driver.h"
#include "base/secret.h"

namespace ringfort::emu {
namespace {

constexpr u32 kWarp = 32, kBanks = 32, kWavefrontBytes = 128, kSectorBytes = 32;
constexpr std::size_t kMostReports = 8;
constexpr std::byte kPoison{0xDB};

bool is_write(Access access) {
  return access == Access::store || access == Access::shared_store || access == Access::remote_store;
}
bool is_global(Access access) { return access == Access::load || access == Access::store || access == Access::table; }

u64 next_random(u64& state) {  // splitmix64 [Steele14]
  u64 z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

u64 distinct(std::vector<u64>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<u64>(std::unique(values.begin(), values.end()) - values.begin());
}

u64 most_of_a_bank(const std::vector<u64>& cells) {
  std::array<u64, kBanks> words{};
  for (const u64 cell : cells) ++words[cell % kBanks];
  return *std::max_element(words.begin(), words.end());
}

u64 sectors_of(std::vector<u64> cells) {
  for (u64& cell : cells) cell /= kSectorBytes / kCellBytes;
  return distinct(cells);
}

}  // namespace

Launch::Launch(const char* kernel, Regions& regions, const LaunchOptions& options)
    : kernel_(kernel),
      regions_(regions),
      options_(options),
      launch_epoch_(regions.next_epoch()),
      epoch_(launch_epoch_),
      launch_begin_(stamp_of(epoch_, 0)),
      cluster_begin_(launch_begin_),
      block_begin_(launch_begin_),
      phase_begin_(launch_begin_),
      barrier_begin_(launch_begin_) {}

Launch::~Launch() { wipe(pool_.data(), pool_.size()); }

std::vector<u32> Launch::order_of(u32 count, u64 salt) const {
  std::vector<u32> order(count);
  std::iota(order.begin(), order.end(), 0);
  u64 state = options_.order + salt;
  for (u32 i = count; options_.order != 0 && i > 1; --i) std::swap(order[i - 1], order[next_random(state) % i]);
  return order;
}

void Launch::declare(std::span<const device::Use> uses) {
  is_declared_ = true;
  for (const device::Use& use : uses) {
    const std::byte* const end = use.first + use.bytes;
    Region* const region = regions_.find(use.first, use.bytes);
    const bool is_only_read = std::none_of(uses.begin(), uses.end(), [&](const device::Use& other) {
      return other.is_written && other.first < end && use.first < other.first + other.bytes;
    });
    if (region != nullptr) windows_.push_back({use.first, end, region, use.is_written, is_only_read});
  }
}

void Launch::begin_cluster(const device::Grid& grid) {
  constexpr std::size_t kRow = 16;  // the alignment of shared memory
  cluster_begin_ = barrier_begin_ = stamp_of(epoch_ + 1, 0);
  cluster_blocks_ = grid.cluster_blocks;
  shared_bytes_ = grid.shared_bytes;
  block_bytes_ = (shared_bytes_ + kRow - 1) / kRow * kRow;
  pool_.resize(block_bytes_ * cluster_blocks_);
  if (!checked()) return;
  std::fill(pool_.begin(), pool_.end(), kPoison);
  pool_cells_.resize(pool_.size() / kCellBytes);
  if (options_.counted) touches_.resize(grid.lanes);
}

void Launch::begin_block(u32 block, u32 rank) {
  block_ = block, rank_ = rank;
  next_phase();
  block_begin_ = phase_begin_;
}

void Launch::pass_cluster_barrier() noexcept { barrier_begin_ = stamp_of(epoch_ + 1, 0); }

void Launch::next_phase() noexcept {
  epoch_ = regions_.next_epoch();
  phase_begin_ = stamp_of(epoch_, 0);
}

void Launch::report(Fault fault, u32 lane, const std::string& text) {
  ++faults_[static_cast<std::size_t>(fault)];
  if (reports_.size() < kMostReports) {
    reports_.push_back(std::string(kernel_) + ", block " + std::to_string(block_) + ", lane " + std::to_string(lane) +
                       ", phase " + std::to_string(epoch_ - launch_epoch_) + ": " + text);
  }
}

void Launch::report_shared_index(u32 lane, u64 index, u32 count) {
  report(Fault::bounds, lane, "word " + std::to_string(index) + " of " + std::to_string(count) + " in shared memory");
}

void Launch::report_race(const Cell& cell, bool writes, u32 lane, bool after_write, const char* memory) {
  const Stamp other = after_write ? cell.write : cell.read;
  const bool is_of_block = other >= block_begin_ && (other & (kSeveralBlocks | kSeveralClusters)) == 0;
  const u32 other_lane = lane_of(other);
  const std::string who = !is_of_block                  ? "another block"
                          : other_lane == kSeveralLanes ? "several lanes"
                                                        : "lane " + std::to_string(other_lane);
  report(Fault::race, lane,
         std::string(writes ? "store" : "load") + " without order after a " + (after_write ? "store" : "load") +
             " of " + who + " to " + memory);
}

// Accesses before `begin` do not count. They belong to earlier launches or, in shared memory, to earlier clusters. A
// barrier of the cluster orders the accesses of the blocks of this cluster. It does not order the accesses of other
// clusters.
inline void Launch::check_order(Cell& cell, bool writes, u32 lane, Stamp begin, const char* memory) {
  const Stamp now = phase_begin_ + lane;
  const auto is_of_clusters = [&](Stamp other) { return other < cluster_begin_ || (other & kSeveralClusters) != 0; };
  const auto conflicts = [&](Stamp other) {
    if (other < begin) return false;
    if (is_of_clusters(other)) return true;
    return other >= barrier_begin_ &&
           (other < block_begin_ || (other & kSeveralBlocks) != 0 || (other >= phase_begin_ && lane_of(other) != lane));
  };
  const bool after_write = conflicts(cell.write), after_read = conflicts(cell.read);
  if (after_write || (writes && after_read)) [[unlikely]]
    report_race(cell, writes, lane, after_write, memory);
  if (writes) cell.write = now;
  else if (!after_read) cell.read = now;
  else if (is_of_clusters(cell.read)) cell.read = now | kSeveralClusters;
  else if (cell.read < block_begin_ || (cell.read & kSeveralBlocks) != 0) cell.read = now | kSeveralBlocks;
  else cell.read = phase_begin_ + kSeveralLanes;
}

inline const Launch::Window* Launch::window_of(Access access, const std::byte* p, std::size_t bytes) {
  const bool writes = is_write(access);
  std::size_t& last = last_window_[static_cast<std::size_t>(access)];
  const auto serves = [&](const Window& window) { return window.holds(p, bytes) && (window.is_writable || !writes); };
  if (last < windows_.size() && serves(windows_[last])) return &windows_[last];
  const auto found = std::find_if(windows_.begin(), windows_.end(), serves);
  if (found != windows_.end()) {
    last = static_cast<std::size_t>(found - windows_.begin());
    return &*found;
  }
  Region* const region = regions_.find(p, bytes);
  if (region == nullptr) return nullptr;
  const Window whole{region->first, region->first + region->bytes, region, true, false};
  if (!is_declared_) return &windows_.emplace_back(whole);
  note_undeclared(writes, p, bytes);
  outside_ = whole;
  return &outside_;
}

// Is called if no single use names all bytes of an access. Several uses together may name them. Keeps the lowest
// address that no use names.
void Launch::note_undeclared(bool writes, const std::byte* p, std::size_t bytes) {
  for (const std::byte* cell = p; cell < p + bytes; cell += kCellBytes) {
    const bool is_named = std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
      return window.holds(cell, 1) && (window.is_writable || !writes);
    });
    if (is_named || (undeclared_.cell != nullptr && undeclared_.cell < cell)) continue;
    undeclared_ = {cell, writes || (undeclared_.cell == cell && undeclared_.is_written)};
  }
}

bool Launch::global(Access access, u32 lane, const void* p, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(p);
  const Window* const window = window_of(access, first, bytes);
  if (window == nullptr) {
    report(Fault::bounds, lane, std::to_string(bytes) + " bytes outside live global memory");
    return false;
  }
  if (options_.counted) record(access, lane, reinterpret_cast<u64>(p), bytes);
  Region& region = *window->region;
  if (window->is_only_read && region.unwritten == 0) return true;
  const bool writes = is_write(access);
  const std::size_t begin = static_cast<std::size_t>(first - region.first);
  for (std::size_t i = begin / kCellBytes; i * kCellBytes < begin + bytes; ++i) {
    Cell& cell = region.cells[i];
    if (cell.write == kNever) [[unlikely]]
      first_use(region, i, writes, lane);
    if (window->is_only_read) continue;
    if (cell.write < launch_begin_ && cell.read < launch_begin_)
      (writes ? cell.write : cell.read) = phase_begin_ + lane;
    else check_order(cell, writes, lane, launch_begin_, "global memory");
  }
  return true;
}

void Launch::first_use(Region& region, std::size_t cell, bool writes, u32 lane) {
  if (writes) {
    --region.unwritten;
    return;
  }
  report(Fault::uninitialised, lane,
         "global memory at byte " + std::to_string(cell * kCellBytes) + " of " + std::to_string(region.bytes) +
             " was never written");
}

bool Launch::shared(Access access, u32 lane, u32 rank, bool runs, std::size_t offset, std::size_t bytes) {
  if (rank >= cluster_blocks_) {
    report(Fault::bounds, lane,
           "block " + std::to_string(rank) + " of a cluster, which has " + std::to_string(cluster_blocks_));
    return false;
  }
  if (offset + bytes > shared_bytes_) {
    report(Fault::bounds, lane,
           "byte " + std::to_string(offset) + " of shared memory, which has " + std::to_string(shared_bytes_));
    return false;
  }
  if (rank != rank_ && !runs)
    report(Fault::race, lane, "shared memory of another block, which may not have started, or may have ended");
  const bool writes = is_write(access);
  // Accesses before `ordered` do not conflict with this access. If only this block ran since the last barrier or the
  // beginning of the cluster, they belong to earlier phases. Otherwise they belong to earlier clusters.
  const Stamp ordered = block_begin_ == barrier_begin_ ? phase_begin_ : cluster_begin_;
  Cell* const cells = pool_cells_.data() + rank * block_bytes_ / kCellBytes;
  for (std::size_t i = offset / kCellBytes; i * kCellBytes < offset + bytes; ++i) {
    Cell& cell = cells[i];
    if (!writes && cell.write < cluster_begin_) [[unlikely]]
      report(Fault::uninitialised, lane, "shared memory at byte " + std::to_string(offset) + " was never written");
    if (cell.write < ordered && cell.read < ordered) (writes ? cell.write : cell.read) = phase_begin_ + lane;
    else check_order(cell, writes, lane, cluster_begin_, "shared memory");
  }
  if (options_.counted) record(access, lane, offset, bytes);
  return true;
}

void Launch::record(Access access, u32 lane, u64 address, std::size_t bytes) {
  touches_[lane][static_cast<std::size_t>(access)].push_back({address, static_cast<u32>(bytes)});
}

// Counts requests. The k-th accesses of one kind by the lanes of a warp are one request, because these lanes take the
// same path.
void Launch::end_phase() {
  next_phase();
  if (!checked() || !options_.counted) return;
  for (u32 warp = 0; warp < touches_.size(); warp += kWarp) {
    for (std::size_t kind = 0; kind < kAccesses; ++kind) count_warp(static_cast<Access>(kind), warp);
  }
  for (auto& lane : touches_) {
    for (auto& kind : lane) kind.clear();
  }
}

void Launch::count_warp(Access access, u32 warp) {
  const std::size_t end = std::min<std::size_t>(touches_.size(), warp + kWarp), kind = static_cast<std::size_t>(access);
  std::vector<Touch> together;
  for (std::size_t k = 0; k == 0 || !together.empty(); ++k) {
    together.clear();
    for (std::size_t lane = warp; lane < end; ++lane) {
      if (k < touches_[lane][kind].size()) together.push_back(touches_[lane][kind][k]);
    }
    if (!together.empty()) count_request(access, together);
  }
}

void Launch::count_request(Access access, const std::vector<Touch>& touches) {
  Traffic& traffic = counters_.traffic[static_cast<std::size_t>(access)];
  const bool is_shared = !is_global(access);
  const u32 unit = is_shared ? kWavefrontBytes : kSectorBytes;
  const std::size_t group = is_shared ? std::max<std::size_t>(1, kWavefrontBytes / touches[0].bytes) : kWarp;
  ++traffic.requests;
  for (std::size_t first = 0; first < touches.size(); first += group) {
    std::vector<u64> cells;
    for (std::size_t i = first; i < std::min(touches.size(), first + group); ++i) {
      const u64 end = touches[i].address + touches[i].bytes;
      for (u64 cell = touches[i].address / kCellBytes; cell * kCellBytes < end; ++cell) cells.push_back(cell);
    }
    cells.resize(distinct(cells));
    traffic.bytes += cells.size() * kCellBytes;
    traffic.least += (cells.size() * kCellBytes + unit - 1) / unit;
    traffic.units += is_shared ? most_of_a_bank(cells) : sectors_of(std::move(cells));
  }
}

}  // namespace ringfort::emu
