// SPDX-License-Identifier: Apache-2.0
// List scheduling with the machine in the loop. In every slot of the front end, while the timing model runs along: for
// the preferred pipe that has one, the first operation in rank order that can start without waiting for anything. Rank:
// depth first from the stores of its block, plus a random jitter by seed; a later block begins `skew` of a block's
// length behind. A scheduler can be copied in the middle of its work and go on with other habits.
#pragma once

#include <random>

#include "codegen/depth_first.h"
#include "codegen/placement.h"
#include "codegen/scalar_loads.h"

namespace ringfort::rpu {

// Which pipe is asked first for an operation.
enum class Prefer : u8 { driest, compute, shuffle };

struct Habits {
  u64 seed = 0;            // of the jitter
  double jitter = 0;       // in ranks
  u32 open_blocks = 1;     // that are worked on at a time
  double skew = 1;         // of a block's length, between one block and the next
  u32 reserve = 0;         // data registers that loads leave free, except the first operation in rank order
  u32 horizon = 1U << 20;  // a pipe whose next start is further away gets nothing yet
  Prefer prefer = Prefer::driest;
};

class Scheduler {
 public:
  // `facts` and `machine` must outlive this object and its copies.
  Scheduler(const FlowFacts& facts, const Machine& machine, const ScalarLoads& scalars, u32 constant_memories);

  // From here on; operations that wait are ranked anew.
  void adopt(const Habits& habits);

  // Until so many operations have been placed, or all. False if nothing can go on: the registers do not suffice.
  bool schedule_until(std::size_t operations);

  // All operations in the order of the dataflow, registers in turn.
  bool run_in_order();

  [[nodiscard]] std::size_t placed() const noexcept { return placed_; }
  // A lower bound of the cycles in which the whole program can end, and the pipes' own ends to tell equals apart.
  [[nodiscard]] std::array<u64, 2> outlook() const noexcept;
  [[nodiscard]] std::vector<Instruction> code() const;

 private:
  struct Ranked {
    double key;
    double rank;
    std::size_t operation;
    bool operator<(const Ranked& other) const noexcept {
      return key != other.key ? key < other.key : operation < other.operation;
    }
  };

  void open_blocks();
  void open(std::size_t block);
  bool dispatch_one();
  bool dispatch_from(Pipe pipe);
  [[nodiscard]] bool held_back(const Ranked& ranked);
  void offer(const Ranked& ranked);
  void commit(std::size_t operation, const Instruction& instruction);
  void emit(const Instruction& instruction, u64 base);
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  const FlowFacts* facts_;
  Habits habits_;
  Timing timing_;
  Placement placement_;
  ScalarLoads scalars_;
  std::mt19937_64 random_;
  u64 now_ = 0;
  DepthFirst order_;
  std::vector<bool> ordered_;  // operations that have a rank
  std::vector<bool> dispatched_;
  std::vector<u32> needs_;         // operations that each must still follow
  std::vector<std::size_t> left_;  // operations of each block that wait
  std::vector<u32> block_of_;
  std::vector<Ranked> open_;                    // of all opened blocks, by key; dispatched ones leave late
  std::size_t first_ = 0;                       // of them that may still wait
  std::array<std::vector<Ranked>, 4> offered_;  // those that need to follow no other, by pipe and key
  std::vector<double> rank_;                    // by operation
  std::vector<double> key_;
  std::vector<std::size_t> working_;  // blocks that are opened and not finished
  std::size_t next_ = 0;              // the block that is opened next
  double base_ = 0;                   // rank of its first operation
  std::array<u64, 4> work_{};         // cycles that each pipe still has before it
  std::size_t placed_ = 0;
  std::vector<Instruction> code_;
};

}  // namespace ringfort::rpu
