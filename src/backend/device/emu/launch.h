// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel on the emulator: its shared memory, its checks and its counters.
//
// With checks, the launch finds faults that a GPU hides:
// * races on shared and on global memory, between lanes of a block in one phase, and between blocks
// * accesses outside allocated memory
// * reads of memory that was never written
// * accesses to the shared memory of a block that possibly does not run
// It also counts the events that determine the time on a GPU: wavefronts of shared memory, sectors of 32 bytes of
// global memory, and products and divisions of words. Shared memory has 32 banks, whose words have four bytes; a
// wavefront is one pass over them, which reads or writes at most one word of each bank. Without checks, it counts only
// products and divisions. backend/device/team.h explains the terms of GPUs.
//
// A checked program spends most of its time in checks. Three measures reduce this time. An access first looks at the
// memory region of the previous access of its kind. Memory that the launch only reads has no record of loads. Counting
// is optional.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "backend/device/emu/regions.h"
#include "backend/device/grid.h"

namespace ringfort::device {
struct Use;  // device/driver.h
}

namespace ringfort::emu {

// Kinds of accesses. remote_* are accesses to the shared memory of another block of the cluster.
enum class Access : u8 { shared_load, shared_store, load, store, table, remote_load, remote_store };
inline constexpr std::size_t kAccesses = 7;

enum class Fault : u8 { race, bounds, uninitialised };
inline constexpr std::size_t kFaults = 3;

// Counters for accesses of one kind. A request is one access that the lanes of a warp (32 neighbouring lanes) make
// together.
struct Traffic {
  u64 requests = 0;
  u64 bytes = 0;  // distinct bytes of each request, summed over the requests
  u64 units = 0;  // wavefronts of shared memory, sectors of global memory
  u64 least = 0;  // fewest units that these bytes need
  Traffic& operator+=(const Traffic& other) noexcept {
    requests += other.requests, bytes += other.bytes, units += other.units, least += other.least;
    return *this;
  }
};

struct Counters {
  std::array<Traffic, kAccesses> traffic;
  u64 multiplications = 0;
  u64 divisions = 0;
  [[nodiscard]] const Traffic& of(Access access) const noexcept { return traffic[static_cast<std::size_t>(access)]; }
  Counters& operator+=(const Counters& other) noexcept {
    for (std::size_t i = 0; i < kAccesses; ++i) traffic[i] += other.traffic[i];
    multiplications += other.multiplications;
    divisions += other.divisions;
    return *this;
  }
};

struct LaunchOptions {
  bool checked = true;
  bool counted = true;  // true: the launch counts requests (Traffic), if it is `checked`
  u64 order = 0;        // seed of the order of lanes and blocks; 0 means ascending order
};

class Launch {
 public:
  // `kernel` is the name of the kernel in reports. `kernel` and `regions` must outlive the launch.
  Launch(const char* kernel, Regions& regions, const LaunchOptions& options);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  [[nodiscard]] u64 faults(Fault fault) const noexcept { return faults_[static_cast<std::size_t>(fault)]; }
  // Names all memory that the launch may access. Call it before the kernel runs. Without this call, the launch may
  // access all memory.
  void declare(std::span<const device::Use> uses);
  // The cell with the lowest address, among the cells that the launch accessed and that no use names.
  struct Undeclared {
    const std::byte* cell = nullptr;  // nullptr if there is none
    bool is_written = false;
  };
  [[nodiscard]] const Undeclared& undeclared() const noexcept { return undeclared_; }
  [[nodiscard]] bool is_clean() const noexcept { return faults_[0] + faults_[1] + faults_[2] == 0; }
  // Returns descriptions of the first faults.
  [[nodiscard]] const std::vector<std::string>& reports() const noexcept { return reports_; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

  // A team (team.h) calls the functions below.
  [[nodiscard]] bool checked() const noexcept { return options_.checked; }
  [[nodiscard]] std::vector<u32> order_of(u32 count, u64 salt) const;  // a permutation of lanes or blocks
  void begin_cluster(const device::Grid& grid);
  void begin_block(u32 block, u32 rank);  // rank: the number of the block in its cluster
  void end_phase();
  void pass_cluster_barrier() noexcept;
  void count_arithmetic(u64 multiplications, u64 divisions) noexcept {
    counters_.multiplications += multiplications;
    counters_.divisions += divisions;
  }
  // Returns the shared memory of a block of the cluster.
  [[nodiscard]] std::byte* pool(u32 rank) noexcept { return pool_.data() + rank * block_bytes_; }
  [[nodiscard]] u32 rank() const noexcept { return rank_; }
  // Checks and records one access of a lane. Returns false if the lane must not make the access.
  bool global(Access access, u32 lane, const void* p, std::size_t bytes);
  // `rank` is the block of the cluster whose memory is accessed. `runs` tells whether that block certainly runs. If
  // `runs` is false, an access to another block's memory is a race.
  bool shared(Access access, u32 lane, u32 rank, bool runs, std::size_t offset, std::size_t bytes);
  // Reports an index outside an array in shared memory.
  void report_shared_index(u32 lane, u64 index, u32 count);

 private:
  struct Touch {
    u64 address;
    u32 bytes;
  };
  // Memory of one region that the launch may access.
  struct Window {
    const std::byte* first = nullptr;
    const std::byte* end = nullptr;
    Region* region = nullptr;
    bool is_writable = false;
    bool is_only_read = false;  // true: no use, not even an overlapping one, allows a store
    [[nodiscard]] bool holds(const std::byte* p, std::size_t bytes) const noexcept {
      return p >= first && p + bytes <= end;
    }
  };
  void next_phase() noexcept;
  void report(Fault fault, u32 lane, const std::string& text);
  void report_race(const Cell& cell, bool writes, u32 lane, bool after_write, const char* memory);
  void check_order(Cell& cell, bool writes, u32 lane, Stamp begin, const char* memory);
  // Returns memory that contains all bytes of an access, or nullptr.
  [[nodiscard]] const Window* window_of(Access access, const std::byte* p, std::size_t bytes);
  void first_use(Region& region, std::size_t cell, bool writes, u32 lane);
  void note_undeclared(bool writes, const std::byte* p, std::size_t bytes);
  void record(Access access, u32 lane, u64 address, std::size_t bytes);
  void count_warp(Access access, u32 warp);  // warp: number of its first lane
  void count_request(Access access, const std::vector<Touch>& touches);

  const char* kernel_;
  Regions& regions_;
  LaunchOptions options_;
  u32 block_ = 0, rank_ = 0, cluster_blocks_ = 1;
  u64 launch_epoch_, epoch_;
  Stamp launch_begin_, cluster_begin_, block_begin_, phase_begin_;
  Stamp barrier_begin_;  // last barrier of the cluster, or the beginning of the cluster
  bool is_declared_ = false;
  std::vector<Window> windows_;
  Window outside_;                                    // region of the last access that no use names
  std::array<std::size_t, kAccesses> last_window_{};  // for each kind of access
  Undeclared undeclared_;
  std::size_t block_bytes_ = 0, shared_bytes_ = 0;  // bytes for a block in pool_; how many of them are in use
  std::vector<std::byte> pool_;                     // wiped at the end, because residues may be secret
  std::vector<Cell> pool_cells_;
  std::vector<std::array<std::vector<Touch>, kAccesses>> touches_;  // accesses of each lane in this phase
  std::array<u64, kFaults> faults_{};
  std::vector<std::string> reports_;
  Counters counters_;
};

}  // namespace ringfort::emu
