// SPDX-License-Identifier: Apache-2.0
// Counting follows NVIDIA's documents: a warp has 32 lanes; a shared request is served in wavefronts of 128 bytes, each
// of which reads at most one word of four bytes from each of 32 banks; a global request is served in sectors.
#include "backend/device/emu/launch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/secret.h"

namespace ringfort::emu {
namespace {

constexpr u32 kWarp = 32, kBanks = 32, kWavefrontBytes = 128, kSectorBytes = 32;
constexpr std::size_t kMostReports = 8;
constexpr std::byte kPoison{0xDB};

bool is_write(Access access) { return access == Access::store || access == Access::shared_store; }

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
      number_(regions.next_launch()) {}

Launch::~Launch() { wipe(pool_.data(), pool_.size()); }

std::vector<u32> Launch::order_of(u32 count, u64 salt) const {
  std::vector<u32> order(count);
  std::iota(order.begin(), order.end(), 0);
  u64 state = options_.order + salt;
  for (u32 i = count; options_.order != 0 && i > 1; --i) std::swap(order[i - 1], order[next_random(state) % i]);
  return order;
}

void Launch::begin_block(u32 block, const device::Grid& grid) {
  block_ = block;
  ++phase_;
  pool_.resize(grid.shared_bytes);
  if (!checked()) return;
  std::fill(pool_.begin(), pool_.end(), kPoison);
  pool_cells_.assign((grid.shared_bytes + kCellBytes - 1) / kCellBytes, Cell{});
  touches_.resize(grid.lanes);
}

void Launch::report(Fault fault, u32 lane, const std::string& text) {
  ++faults_[static_cast<std::size_t>(fault)];
  if (reports_.size() < kMostReports) {
    reports_.push_back(std::string(kernel_) + ", block " + std::to_string(block_) + ", lane " + std::to_string(lane) +
                       ", phase " + std::to_string(phase_) + ": " + text);
  }
}

void Launch::report_shared_index(u32 lane, u64 index, u32 count) {
  report(Fault::bounds, lane, "word " + std::to_string(index) + " of " + std::to_string(count) + " in shared memory");
}

void Launch::check_order(Cell& cell, bool writes, u32 lane, const std::string& memory) {
  if (cell.launch != number_) {
    cell.launch = number_;
    cell.uses = {};
  }
  Uses& uses = cell.uses;
  const bool was_written = uses.write_block != kNobody, was_read = uses.read_block != kNobody;
  const bool after_write =
      was_written && (uses.write_block != block_ || (uses.write_phase == phase_ && uses.write_lane != lane));
  const bool after_read =
      writes && was_read && (uses.read_block != block_ || (uses.read_phase == phase_ && uses.read_lane != lane));
  if (after_write || after_read) {
    const u32 block = after_write ? uses.write_block : uses.read_block;
    const std::string other =
        block == block_ ? "lane " + std::to_string(after_write ? uses.write_lane : uses.read_lane) : "another block";
    report(Fault::race, lane,
           std::string(writes ? "store" : "load") + " without order after a " + (after_write ? "store" : "load") +
               " of " + other + " to " + memory);
  }
  if (writes) {
    uses.write_block = block_, uses.write_phase = phase_, uses.write_lane = lane;
  } else if (was_read && uses.read_block != block_) {
    uses.read_block = kSeveral;
  } else if (was_read && uses.read_phase == phase_ && uses.read_lane != lane) {
    uses.read_lane = kSeveral;
  } else {
    uses.read_block = block_, uses.read_phase = phase_, uses.read_lane = lane;
  }
}

bool Launch::global(Access access, u32 lane, const void* p, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(p);
  Region* const region = regions_.find(first, bytes);
  if (region == nullptr) {
    report(Fault::bounds, lane, std::to_string(bytes) + " bytes outside live global memory");
    return false;
  }
  const std::size_t begin = static_cast<std::size_t>(first - region->first);
  const std::string memory = "global memory";
  for (std::size_t i = begin / kCellBytes; i * kCellBytes < begin + bytes; ++i) {
    Cell& cell = region->cells[i];
    if (is_write(access)) cell.is_written = true;
    else if (!cell.is_written) {
      report(Fault::uninitialised, lane,
             "global memory at byte " + std::to_string(i * kCellBytes) + " of " + std::to_string(region->bytes) +
                 " was never written");
    }
    check_order(cell, is_write(access), lane, memory);
  }
  record(access, lane, reinterpret_cast<u64>(p), bytes);
  return true;
}

bool Launch::shared(Access access, u32 lane, std::size_t offset, std::size_t bytes) {
  if (offset + bytes > pool_.size()) {
    report(Fault::bounds, lane,
           "byte " + std::to_string(offset) + " of shared memory, which has " + std::to_string(pool_.size()));
    return false;
  }
  const std::string memory = "shared memory";
  for (std::size_t i = offset / kCellBytes; i * kCellBytes < offset + bytes; ++i) {
    Cell& cell = pool_cells_[i];
    if (is_write(access)) cell.is_written = true;
    else if (!cell.is_written) {
      report(Fault::uninitialised, lane, "shared memory at byte " + std::to_string(offset) + " was never written");
    }
    check_order(cell, is_write(access), lane, memory);
  }
  record(access, lane, offset, bytes);
  return true;
}

void Launch::record(Access access, u32 lane, u64 address, std::size_t bytes) {
  touches_[lane][static_cast<std::size_t>(access)].push_back({address, static_cast<u32>(bytes)});
}

// Counts requests: the k-th accesses of one kind by the lanes of a warp are one request, because these lanes take the
// same path.
void Launch::end_phase() {
  ++phase_;
  if (!checked()) return;
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
  const bool is_shared = access == Access::shared_load || access == Access::shared_store;
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

void Launch::end_block() {
  end_phase();
  pool_cells_.clear();
}

}  // namespace ringfort::emu
