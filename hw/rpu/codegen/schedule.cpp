// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule.h"

#include <algorithm>
#include <random>

#include "codegen/placement.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr u64 kGiveUp = 1U << 13;  // cycles without progress: the registers do not suffice

// What an operation of the block needs stands before it, so registers become free early. Operations of earlier blocks
// are not among those that are ordered.
class DepthFirst {
 public:
  explicit DepthFirst(const Dataflow& flow)
      : flow_(flow), maker_(flow.values().size()), seen_(flow.operations().size()) {
    for (std::size_t i = 0; i < flow.operations().size(); ++i)
      for (const ValueId result : flow.operations()[i].results) maker_[result] = i;
  }

  std::vector<std::size_t> order(std::size_t first, std::size_t last) {
    order_.clear();
    for (std::size_t i = first; i < last; ++i)
      if (flow_.operations()[i].results.empty()) visit(i, first);
    for (std::size_t i = first; i < last; ++i) visit(i, first);
    return order_;
  }

 private:
  void visit(std::size_t i, std::size_t first) {
    if (i < first || seen_[i]) return;
    seen_[i] = true;
    for (const ValueId source : flow_.operations()[i].sources) visit(maker_[source], first);
    order_.push_back(i);
  }

  const Dataflow& flow_;
  std::vector<std::size_t> maker_;
  std::vector<bool> seen_;
  std::vector<std::size_t> order_;
};

class Scheduler {
 public:
  Scheduler(const Dataflow& flow, const Machine& machine, const ScheduleOptions& options)
      : flow_(flow),
        options_(options),
        machine_(machine),
        timing_(machine),
        placement_(flow, machine, timing_),
        ranks_(flow),
        random_(options.seed),
        block_of_(flow.operations().size()),
        left_(flow.blocks().size()) {}

  std::optional<Schedule> run() {
    emit_scalar(Op::aload, kZeroWord);
    if (!(options_.optimizer == Optimizer::none ? in_order() : by_list())) return std::nullopt;
    code_.back().end = true;
    const u64 cycles = timed();
    return Schedule{std::move(code_), cycles};
  }

 private:
  struct Ranked {
    double key;
    std::size_t operation;
    bool operator<(const Ranked& other) const noexcept {
      return key != other.key ? key < other.key : operation < other.operation;
    }
  };

  // Anew, as a front end will see it: an operation that was held back may be dispatched earlier than it was chosen.
  [[nodiscard]] u64 timed() const {
    Timing timing(machine_);
    for (u32 pc = 0; pc < code_.size(); ++pc) timing.consume({pc, code_[pc], code_[pc].address});
    return timing.finish().cycles;
  }

  bool in_order() {
    emit_modulus();
    for (std::size_t i = 0; i < flow_.operations().size(); ++i) {
      const auto instruction = placement_.anywhere(i);
      if (!instruction) return false;
      commit(i, *instruction);
    }
    return true;
  }

  bool by_list() {
    u64 now = timing_.next_slot();
    for (open_blocks(); !open_.empty(); open_blocks()) {
      timing_.settle(now);
      if (try_dispatch(now)) {
        now = timing_.next_slot();
      } else if (!modulus_loaded_) {
        emit_modulus();
        now = timing_.next_slot();
      } else if (++now > timing_.next_slot() + kGiveUp) {
        return false;
      }
    }
    return true;
  }

  // Blocks enter while there is room, in order, and never beside a block of another pass.
  void open_blocks() {
    const auto& blocks = flow_.blocks();
    while (oldest_ < next_ && left_[oldest_] == 0) ++oldest_;
    while (next_ < blocks.size() && next_ - oldest_ < options_.open_blocks &&
           (oldest_ == next_ || blocks[next_].pass == blocks[oldest_].pass)) {
      const std::size_t last = next_ + 1 < blocks.size() ? blocks[next_ + 1].first : flow_.operations().size();
      const auto order = ranks_.order(blocks[next_].first, last);
      for (std::size_t rank = 0; rank < order.size(); ++rank) {
        block_of_[order[rank]] = next_;
        open_.push_back({base_ + static_cast<double>(rank) + options_.jitter * unit(), order[rank]});
      }
      std::sort(open_.begin(), open_.end());
      left_[next_] = order.size();
      base_ += options_.skew * static_cast<double>(order.size());
      ++next_;
    }
  }

  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  bool try_dispatch(u64 now) {
    std::array<Pipe, 3> pipes{Pipe::compute, Pipe::shuffle, Pipe::load_store};
    std::stable_sort(pipes.begin(), pipes.end(), [this](Pipe x, Pipe y) {
      return timing_.start_if_dispatched(x, 0) < timing_.start_if_dispatched(y, 0);
    });
    for (const Pipe pipe : pipes) {
      if (timing_.queue_full(pipe, now) || timing_.start_if_dispatched(pipe, now) > now + options_.horizon) continue;
      for (std::size_t k = 0; k < open_.size(); ++k) {
        const std::size_t i = open_[k].operation;
        if (pipe_of(flow_.operations()[i]) != pipe || held_back(open_[k]) || !placement_.sources_ready(i, now))
          continue;
        const auto instruction = placement_.at(i, now);
        if (!instruction) continue;
        if (!modulus_loaded_ && pipe == Pipe::compute) emit_modulus();
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
        --left_[block_of_[i]];
        commit(i, *instruction);
        return true;
      }
    }
    return false;
  }

  // A load must leave registers to the operations that are under way, unless the first of those may wait for it: what it
  // needs stands before it but for the jitter.
  [[nodiscard]] bool held_back(const Ranked& ranked) const {
    const Operation& operation = flow_.operations()[ranked.operation];
    if (operation.op != Op::vload || ranked.key <= open_.front().key + options_.jitter) return false;
    const ValueKind kind = flow_.values()[operation.results[0]];
    return kind == ValueKind::data && placement_.free_registers(kind) <= options_.reserve;
  }

  void commit(std::size_t i, const Instruction& instruction) {
    placement_.commit(i, instruction);
    emit(instruction, flow_.operations()[i].address);
  }
  void emit(const Instruction& instruction, u64 base) {
    timing_.consume({static_cast<u32>(code_.size()), instruction, base});
    code_.push_back(instruction);
  }
  void emit_scalar(Op op, u32 address) {
    Instruction in;
    in.op = op;
    in.address = address;
    emit(in, 0);
  }
  void emit_modulus() {
    emit_scalar(Op::mload, kModulusWord);
    modulus_loaded_ = true;
  }

  const Dataflow& flow_;
  ScheduleOptions options_;
  Machine machine_;
  Timing timing_;
  Placement placement_;
  DepthFirst ranks_;
  std::mt19937_64 random_;
  std::vector<std::size_t> block_of_;
  std::vector<std::size_t> left_;  // operations of each opened block that wait
  std::vector<Ranked> open_;       // of all opened blocks, by key
  std::size_t oldest_ = 0;
  std::size_t next_ = 0;  // the block that is opened next
  double base_ = 0;
  std::vector<Instruction> code_;
  bool modulus_loaded_ = false;
};

}  // namespace

std::optional<Schedule> schedule(const Dataflow& flow, const Machine& machine, const ScheduleOptions& options) {
  return Scheduler(flow, machine, options).run();
}

}  // namespace ringfort::rpu
