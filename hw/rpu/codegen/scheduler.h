// SPDX-License-Identifier: Apache-2.0
// A list scheduler that uses the timing model. For every slot of the front end it examines the pipes in order of
// preference, and chooses the first operation in rank order that can start without waiting. The rank of an operation is
// its position in a depth-first order from the stores of its block, plus a random jitter. The ranks of a block begin
// `skew` block lengths after those of the previous block. The parameters of these choices are the scheduler's habits. A
// scheduler can be copied in the middle of its work, and the copy can continue with other habits.
#pragma once

#include <random>

#include "codegen/depth_first.h"
#include "codegen/placement.h"
#include "codegen/scalar_loads.h"

namespace ringfort::rpu {

// The order of preference of the pipes; `driest` prefers the pipe that runs out of work first.
enum class Prefer : u8 { driest, compute, shuffle };

struct Habits {
  u64 seed = 0;            // seed of the jitter
  double jitter = 0;       // in ranks
  u32 open_blocks = 1;     // blocks in progress at a time
  double skew = 1;         // distance of the ranks of two successive blocks, in lengths of a block
  u32 reserve = 0;         // data registers that loads leave free, except for the first operation in rank order
  u32 horizon = 1U << 20;  // cycles; a pipe whose next start is later gets no operation yet
  Prefer prefer = Prefer::driest;
};

class Scheduler {
 public:
  // `facts` and `machine` must outlive this object and its copies.
  Scheduler(const FlowFacts& facts, const Machine& machine, const ScalarLoads& scalars, u32 constant_memories);

  // From now on, uses these habits; ranks the waiting operations again.
  void adopt(const Habits& habits);

  // Schedules until this number of operations, or all operations, have been placed. Returns false if the registers do
  // not suffice.
  bool schedule_until(std::size_t operations);

  // Schedules all operations in the order of the dataflow, with registers in turn.
  bool run_in_order();

  [[nodiscard]] std::size_t placed() const noexcept { return placed_; }
  // Returns a lower bound of the cycles of the whole program. The second number decides between equal bounds: the sum
  // of the cycles at which the pipes end.
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
  std::vector<u32> needs_;         // by operation: number of operations that must still be placed before it
  std::vector<std::size_t> left_;  // waiting operations of each block
  std::vector<u32> block_of_;
  std::vector<Ranked> open_;                    // operations of all open blocks, by key; may include dispatched ones
  std::size_t first_ = 0;                       // first entry of open_ that may still wait
  std::array<std::vector<Ranked>, 4> offered_;  // operations without unfinished predecessors, by pipe and key
  std::vector<double> rank_;                    // by operation
  std::vector<double> key_;
  std::vector<std::size_t> working_;  // blocks that are open and not finished
  std::size_t next_ = 0;              // the next block to open
  double base_ = 0;                   // rank of the next block's first operation
  std::array<u64, 4> work_{};         // cycles of work left for each pipe
  std::size_t placed_ = 0;
  std::vector<Instruction> code_;
};

}  // namespace ringfort::rpu
