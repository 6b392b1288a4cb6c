// SPDX-License-Identifier: Apache-2.0
// A list scheduler. It asks the timing model when an instruction can start. In every slot (a cycle in which the front
// end can dispatch an instruction), it examines the pipes in the order of preference. For a pipe it examines the
// waiting operations in the order of their keys, and chooses the first one that can start at once. A key is a rank plus
// a random number, the jitter. A program consists of blocks (recipe.h). The operations of a block have successive
// ranks, in a depth-first order from the stores of the block. The first rank of a block is the first rank of the
// previous block plus `skew` times the number of operations of the previous block. The parameters of these choices are
// called habits. A scheduler can be copied in the middle of its work, and the copy can continue with other habits.
// hw/rpu/README.md explains the terms of the machine.
#pragma once

#include <random>

#include "codegen/depth_first.h"
#include "codegen/placement.h"
#include "codegen/scalar_loads.h"

namespace ringfort::rpu {

// The order of preference of the pipes. `driest` begins with the pipe that will first run out of work.
enum class Prefer : u8 { driest, compute, shuffle };

struct Habits {
  u64 seed = 0;         // seed of the jitter
  double jitter = 0;    // largest jitter
  u32 open_blocks = 1;  // number of blocks in progress at a time
  double skew = 1;      // distance between the first ranks of two successive blocks, over the earlier block's length
  // number of registers for data (not constants) that a load of data must leave free. Does not apply if the key of the
  // load exceeds the key of the first waiting operation by at most `jitter`
  u32 reserve = 0;
  // a pipe gets no operation yet if the operation could only start more than `horizon` cycles later
  u32 horizon = 1U << 20;
  Prefer prefer = Prefer::driest;
};

class Scheduler {
 public:
  // `facts` and `machine` must outlive this object and its copies.
  Scheduler(const FlowFacts& facts, const Machine& machine, const ScalarLoads& scalars, u32 constant_memories);

  // Uses these habits from now on. Chooses new jitter for the waiting operations, whose ranks stay the same.
  void adopt(const Habits& habits);

  // Schedules until `operations` operations, or all of them, have been scheduled. Returns false if no operation can be
  // scheduled for many cycles, which means that there are too few registers.
  bool schedule_until(std::size_t operations);

  // Schedules all operations in the order of the dataflow, and takes registers in turn.
  bool run_in_order();

  [[nodiscard]] std::size_t scheduled() const noexcept { return scheduled_; }
  // Returns a lower bound of the cycles of the whole program, and a number that decides between equal bounds: the sum
  // of the cycles at which the pipes end.
  [[nodiscard]] std::array<u64, 2> outlook() const noexcept;
  [[nodiscard]] std::vector<Instruction> code() const;

 private:
  struct Ranked {
    double key;  // rank plus jitter
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
  // for each operation: number of operations that must be placed before it and are not yet placed
  std::vector<u32> needs_;
  std::vector<std::size_t> left_;  // number of waiting operations of each block
  std::vector<u32> block_of_;
  // operations of all open blocks, in the order of their keys; some may have been dispatched
  std::vector<Ranked> open_;
  std::size_t first_ = 0;  // first entry of open_ that may be waiting
  // for each pipe: operations whose predecessors are placed, in the order of their keys
  std::array<std::vector<Ranked>, 4> offered_;
  std::vector<double> rank_;  // by operation
  std::vector<double> key_;
  std::vector<std::size_t> working_;  // blocks that are open and not finished
  std::size_t next_ = 0;              // the next block to open
  double base_ = 0;                   // rank of the first operation of the next block
  std::array<u64, 4> work_{};         // cycles of work left for each pipe
  std::size_t scheduled_ = 0;
  std::vector<Instruction> code_;
};

}  // namespace ringfort::rpu
