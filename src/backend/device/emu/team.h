// SPDX-License-Identifier: Apache-2.0
// The team of the emulator (backend/device/team.h). A phase is a loop over lanes. The checked team reports every access
// to the launch (launch.h). The plain team does not.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "backend/device/emu/kernel.h"
#include "backend/device/emu/launch.h"
#include "backend/device/team.h"

namespace ringfort::emu {

template <bool kChecked>
class Team {
 public:
  template <class T>
  class PerLane {
   public:
    explicit PerLane(const Team& team) : values_(team.lanes()) {}
    T& operator[](u32 lane) { return values_[lane]; }
    const T& operator[](u32 lane) const { return values_[lane]; }

   private:
    std::vector<T> values_;
  };

  template <class W>
  class Shared {
   public:
    Shared(Team& team, std::size_t offset, u32 count) : team_(&team), offset_(offset), count_(count) {}
    [[nodiscard]] W load(u32 index) const { return load_of(team_->rank(), index); }
    void store(u32 index, W value) const { store_of(team_->rank(), index, value); }
    [[nodiscard]] W load_of(u32 rank, u32 index) const {
      W value{};
      const Access access = rank == team_->rank() ? Access::shared_load : Access::remote_load;
      if (allows(access, rank, index, sizeof(W))) std::memcpy(&value, at(rank, index), sizeof(W));
      return value;
    }
    void store_of(u32 rank, u32 index, W value) const {
      const Access access = rank == team_->rank() ? Access::shared_store : Access::remote_store;
      if (allows(access, rank, index, sizeof(W))) std::memcpy(at(rank, index), &value, sizeof(W));
    }
    [[nodiscard]] device::Row<W> load_row(u32 index) const {
      device::Row<W> row{};
      if (allows(Access::shared_load, team_->rank(), index, sizeof row))
        std::memcpy(&row, at(team_->rank(), index), sizeof row);
      return row;
    }
    void store_row(u32 index, const device::Row<W>& row) const {
      if (allows(Access::shared_store, team_->rank(), index, sizeof row))
        std::memcpy(at(team_->rank(), index), &row, sizeof row);
    }

   private:
    [[nodiscard]] std::byte* at(u32 rank, u32 index) const {
      return team_->launch_.pool(rank) + offset_ + index * sizeof(W);
    }
    [[nodiscard]] bool allows(Access access, u32 rank, u32 index, std::size_t bytes) const {
      if constexpr (!kChecked) return true;
      if (index + bytes / sizeof(W) <= count_ && index * sizeof(W) % bytes == 0)
        return team_->launch_.shared(access, team_->lane_, rank, team_->cluster_runs_, offset_ + index * sizeof(W),
                                     bytes);
      team_->launch_.report_shared_index(team_->lane_, index, count_);
      return false;
    }
    Team* team_;
    std::size_t offset_;
    u32 count_;
  };

  Team(Launch& launch, const device::Grid& grid, const std::vector<u32>& order)
      : launch_(launch),
        grid_(grid),
        order_(order),
        ranks_(launch.order_of(grid.cluster_blocks, 3)) {}

  // Starts a cluster, and its first block.
  void enter(u32 cluster) {
    first_block_ = cluster * grid_.cluster_blocks;
    shared_bytes_ = lane_ = 0;
    cluster_runs_ = passed_cluster_barrier_ = false;
    launch_.begin_cluster(grid_);
    launch_.begin_block(block_ = first_block_, 0);
  }

  [[nodiscard]] u32 lanes() const { return grid_.lanes; }
  [[nodiscard]] u32 block() const { return block_; }
  [[nodiscard]] u32 blocks() const { return grid_.blocks; }

  template <class F>
  void phase(F f) {
    last_phase(std::move(f));
    if constexpr (kChecked) launch_.end_phase();
  }
  // Runs a phase without a barrier at its end. Later code counts as part of this phase. Therefore the checks find a
  // race if a barrier is necessary.
  template <class F>
  void last_phase(F f) {
    for (const u32 lane : order_) {
      lane_ = lane;
      f(lane);
    }
  }

  [[nodiscard]] u32 rank() const { return launch_.rank(); }
  void start_cluster() {}
  void await_cluster() { cluster_runs_ = true; }
  template <class F>
  void cluster_phase(F f) {
    for_each_block(std::move(f), passed_cluster_barrier_);
    passed_cluster_barrier_ = true;
    launch_.pass_cluster_barrier();
  }
  template <class F>
  void last_cluster_phase(F f) {
    for_each_block(std::move(f), false);
  }

  template <class T>
  [[nodiscard]] T load(const T* from) const {
    return read(Access::load, from);
  }
  template <class T>
  [[nodiscard]] T load_table(const T* from) const {
    return read(Access::table, from);
  }
  template <class T>
  void store(T* to, T value) const {
    if constexpr (kChecked) {
      if (!launch_.global(Access::store, lane_, to, sizeof(T))) return;
    }
    *to = value;
  }

  template <class W>
  [[nodiscard]] Shared<W> shared(u32 count) {
    const std::size_t offset = (shared_bytes_ + 15) / 16 * 16;
    shared_bytes_ = offset + count * sizeof(W);
    return {*this, offset, count};
  }

  template <class T>
  [[nodiscard]] PerLane<T> shuffle_xor(const PerLane<T>& x, u32 mask) const {
    PerLane<T> out(*this);
    for (u32 lane = 0; lane < lanes(); ++lane) out[lane] = x[(lane ^ mask) < lanes() ? lane ^ mask : lane];
    return out;
  }

 private:
  // If `runs` is true, all blocks of the cluster run while f runs.
  template <class F>
  void for_each_block(F f, bool runs) {
    for (const u32 rank : ranks_) {
      cluster_runs_ = runs;
      launch_.begin_block(block_ = first_block_ + rank, rank);
      f();
      if constexpr (kChecked) launch_.end_phase();
    }
  }

  template <class T>
  [[nodiscard]] T read(Access access, const T* from) const {
    if constexpr (kChecked) {
      if (!launch_.global(access, lane_, from, sizeof(T))) return T{};
    }
    return *from;
  }

  Launch& launch_;
  const device::Grid& grid_;
  const std::vector<u32>& order_;
  std::vector<u32> ranks_;  // order in which the blocks of a cluster run
  std::size_t shared_bytes_ = 0;
  u32 first_block_ = 0, block_ = 0, lane_ = 0;
  bool cluster_runs_ = false, passed_cluster_barrier_ = false;
};

template <bool kChecked, class Kernel>
void run_blocks(Launch& launch, const device::Grid& grid, const typename Kernel::Args& args) {
  const std::vector<u32> lanes = launch.order_of(grid.lanes, 1);
  Team<kChecked> team(launch, grid, lanes);
  const u64 multiplications = device::multiplications, divisions = device::divisions;
  for (const u32 cluster : launch.order_of(grid.blocks / grid.cluster_blocks, 2)) {
    team.enter(cluster);
    Kernel::run_team(team, args);
    launch.end_phase();
  }
  launch.count_arithmetic(device::multiplications - multiplications, device::divisions - divisions);
}

// Runs a kernel. Entries of the driver's table of kernels point to this function.
template <class Kernel>
void run_kernel(Launch& launch, const device::Grid& grid, const void* args) {
  static_assert(sizeof(typename Kernel::Args) <= device::kMostKernelBytes);
  typename Kernel::Args typed;
  std::memcpy(&typed, args, sizeof(typed));  // `args` may be unaligned
  if (launch.checked()) run_blocks<true, Kernel>(launch, grid, typed);
  else run_blocks<false, Kernel>(launch, grid, typed);
}

}  // namespace ringfort::emu
