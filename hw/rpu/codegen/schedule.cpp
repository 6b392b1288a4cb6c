// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "sim/refusal.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kMemories = kRegisters / 4;
constexpr u32 kConstantMemories = 4;  // the last ones
constexpr u64 kGiveUp = 1U << 20;     // cycles without progress: the registers do not suffice
constexpr int kNowhere = -1;

Pipe pipe_of(const Operation& operation) noexcept { return kInstructions[static_cast<std::size_t>(operation.op)].pipe; }

class Scheduler {
 public:
  Scheduler(const Dataflow& flow, const Machine& machine, const ScheduleOptions& options)
      : flow_(flow),
        machine_(machine),
        options_(options),
        timing_(machine),
        place_(flow.values().size(), kNowhere),
        uses_(flow.values().size()),
        readers_(flow.values().size()),
        random_(options.seed) {
    for (std::size_t i = 0; i < flow.operations().size(); ++i)
      for (const ValueId value : flow.operations()[i].sources) {
        ++uses_[value];
        readers_[value].push_back(i);
      }
  }

  Schedule run() {
    emit_scalar(Op::aload, kZeroWord);
    for (std::size_t b = 0; b < flow_.block_starts().size(); ++b) {
      const std::size_t first = flow_.block_starts()[b];
      const std::size_t last =
          b + 1 < flow_.block_starts().size() ? flow_.block_starts()[b + 1] : flow_.operations().size();
      options_.optimizer == Optimizer::none ? in_order(first, last) : by_list(first, last);
    }
    code_.back().end = true;
    return {std::move(code_), timing_.finish().cycles};
  }

 private:
  struct Choice {
    std::size_t operation;
    Instruction instruction;
  };

  void in_order(std::size_t first, std::size_t last) {
    if (!modulus_loaded_) emit_modulus();
    for (std::size_t i = first; i < last; ++i) {
      const auto instruction = place_anywhere(i);
      if (!instruction) refuse();
      commit({i, *instruction});
    }
  }

  void by_list(std::size_t first, std::size_t last) {
    std::vector<std::size_t> open = ranked(first, last);
    u64 now = timing_.next_slot();
    while (!open.empty()) {
      timing_.settle(now);
      const auto choice = best_choice(open, now);
      if (choice) {
        if (!modulus_loaded_ && choice->instruction.info().pipe == Pipe::compute) emit_modulus();
        open.erase(std::find(open.begin(), open.end(), choice->operation));
        commit(*choice);
        now = timing_.next_slot();
      } else if (!modulus_loaded_) {
        emit_modulus();
        now = timing_.next_slot();
      } else if (++now > timing_.next_slot() + kGiveUp) {
        refuse();
      }
    }
  }

  // Depth first from the end of the block: what an operation needs stands before it, so registers become free early.
  std::vector<std::size_t> ranked(std::size_t first, std::size_t last) {
    std::vector<std::size_t> order;
    std::vector<bool> seen(last - first);
    const auto visit = [&](auto&& self, std::size_t i) -> void {
      if (seen[i - first]) return;
      seen[i - first] = true;
      for (const ValueId source : flow_.operations()[i].sources)
        if (const std::size_t maker = maker_of(source, first, i); maker != i) self(self, maker);
      order.push_back(i);
    };
    for (std::size_t i = first; i < last; ++i)
      if (flow_.operations()[i].results.empty()) visit(visit, i);
    for (std::size_t i = first; i < last; ++i) visit(visit, i);
    return jittered(order);
  }

  // The operation of this block, before `user`, that makes the value; `user` itself if an earlier block made it.
  [[nodiscard]] std::size_t maker_of(ValueId value, std::size_t first, std::size_t user) const {
    for (std::size_t i = user; i-- > first;)
      for (const ValueId result : flow_.operations()[i].results)
        if (result == value) return i;
    return user;
  }

  std::vector<std::size_t> jittered(const std::vector<std::size_t>& order) {
    if (options_.jitter == 0 || options_.seed == 0) return order;
    std::vector<std::pair<double, std::size_t>> keyed;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
      keyed.emplace_back(static_cast<double>(rank) + options_.jitter * unit, order[rank]);
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::size_t> result;
    for (const auto& [key, operation] : keyed) result.push_back(operation);
    return result;
  }

  std::optional<Choice> best_choice(const std::vector<std::size_t>& open, u64 now) {
    std::array<Pipe, 3> pipes{Pipe::compute, Pipe::shuffle, Pipe::load_store};
    std::stable_sort(pipes.begin(), pipes.end(), [&](Pipe x, Pipe y) {
      return timing_.start_if_dispatched(x, 0) < timing_.start_if_dispatched(y, 0);
    });
    for (const Pipe pipe : pipes) {
      if (timing_.queue_full(pipe, now)) continue;
      for (const std::size_t i : open) {
        if (pipe_of(flow_.operations()[i]) != pipe || !sources_ready(flow_.operations()[i], now)) continue;
        if (const auto instruction = place_at(i, now)) return Choice{i, *instruction};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool sources_ready(const Operation& operation, u64 now) const {
    VectorUse use;
    for (const ValueId source : operation.sources) {
      if (place_[source] == kNowhere) return false;
      use.reads |= u64{1} << place_[source];
    }
    return timing_.registers_free(use, now);
  }

  // The instruction with results where nothing is in the way at its exact start; none if there is no such place now.
  std::optional<Instruction> place_at(std::size_t i, u64 now) {
    Instruction instruction = encode_sources(flow_.operations()[i]);
    const u64 start = timing_.start_if_dispatched(pipe_of(flow_.operations()[i]), now);
    PortWindows windows = windows_of(instruction, i);
    if (!timing_.windows_free({windows.read_memories, 0, windows.occupancy, windows.latency}, start))
      return std::nullopt;
    const auto fits = [&](u32 memory) {
      return timing_.windows_free({0, static_cast<u16>(1U << memory), windows.occupancy, windows.latency}, start);
    };
    return with_results(instruction, i, windows, now, fits);
  }

  std::optional<Instruction> place_anywhere(std::size_t i) {
    const Instruction instruction = encode_sources(flow_.operations()[i]);
    return with_results(instruction, i, windows_of(instruction, i), kNoTime, [](u32) { return true; });
  }

  template <class Fits>
  std::optional<Instruction> with_results(Instruction instruction, std::size_t i, const PortWindows& windows, u64 now,
                                          Fits fits) {
    const Operation& operation = flow_.operations()[i];
    u16 avoid = windows.latency < windows.occupancy ? windows.read_memories : u16{0};
    std::array<u8*, 2> fields{&instruction.vd, &instruction.vd1};
    for (std::size_t k = 0; k < operation.results.size(); ++k) {
      const auto number =
          free_register(operation.results[k], static_cast<u16>(avoid | partners(operation.results[k])), now, fits);
      if (!number) return std::nullopt;
      *fields[k] = *number;
      avoid = static_cast<u16>(avoid | (1U << (*number / 4)));
    }
    return instruction;
  }

  template <class Fits>
  std::optional<u8> free_register(ValueId value, u16 avoid, u64 now, Fits fits) {
    const bool constant = flow_.values()[value] == ValueKind::constant;
    const u32 first = constant ? kMemories - kConstantMemories : 0,
              count = constant ? kConstantMemories : kMemories - kConstantMemories;
    for (u32 k = 0; k < count; ++k) {
      const u32 memory = first + (turn_ + k) % count;
      if (((avoid >> memory) & 1) != 0) continue;
      const auto number = free_in(memory, now);
      if (!number || !fits(memory)) continue;
      turn_ = memory + 1;
      return number;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<u8> free_in(u32 memory, u64 now) const {
    for (u32 r = 4 * memory; r < 4 * memory + 4; ++r) {
      if (((live_ >> r) & 1) != 0) continue;
      if (now == kNoTime || timing_.registers_free({0, u64{1} << r}, now)) return static_cast<u8>(r);
    }
    return std::nullopt;
  }

  // Memories of placed values that some operation will read together with this one.
  [[nodiscard]] u16 partners(ValueId value) const {
    u16 mask = 0;
    for (const std::size_t reader : readers_[value])
      for (const ValueId other : flow_.operations()[reader].sources)
        if (other != value && place_[other] != kNowhere) mask = static_cast<u16>(mask | (1U << (place_[other] / 4)));
    return mask;
  }

  [[nodiscard]] Instruction encode_sources(const Operation& operation) const {
    Instruction in;
    in.op = operation.op;
    in.address = operation.address;
    if (in.has_mode()) {
      in.vs = static_cast<u8>(operation.mode);
      in.vt = operation.value;
      if (in.op == Op::vstore) in.vd = static_cast<u8>(place_[operation.sources[0]]);
      return in;
    }
    const std::array<u8*, 3> fields{&in.vs, &in.vt, &in.vt1};
    for (std::size_t k = 0; k < operation.sources.size(); ++k)
      *fields[k] = static_cast<u8>(place_[operation.sources[k]]);
    return in;
  }

  [[nodiscard]] PortWindows windows_of(const Instruction& in, std::size_t i) {
    if (costs_.empty()) costs_.resize(flow_.operations().size());
    if (costs_[i] == 0) costs_[i] = occupancy(machine_, in, in.address);
    const u16 read = in.op == Op::vload ? u16{0} : memories_of(vector_use(in).reads);
    return {read, 0, costs_[i], latency(machine_, in.info().latency)};
  }

  void commit(const Choice& choice) {
    const Operation& operation = flow_.operations()[choice.operation];
    const std::array<u8, 2> fields{choice.instruction.vd, choice.instruction.vd1};
    for (std::size_t k = 0; k < operation.results.size(); ++k) {
      place_[operation.results[k]] = fields[k];
      if (uses_[operation.results[k]] != 0) live_ |= u64{1} << fields[k];
    }
    for (const ValueId source : operation.sources)
      if (--uses_[source] == 0) live_ &= ~(u64{1} << place_[source]);
    emit(choice.instruction, operation.address);
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
  [[noreturn]] static void refuse() {
    throw Refusal("the dataflow needs more registers at once than there are",
                  "use smaller blocks or fewer constants in each");
  }

  static constexpr u64 kNoTime = ~u64{0};
  const Dataflow& flow_;
  Machine machine_;
  ScheduleOptions options_;
  Timing timing_;
  std::vector<int> place_;  // register of each value, while it has one
  std::vector<u32> uses_;   // readers still to come
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<u32> costs_;  // occupancy of each operation, once asked
  std::mt19937_64 random_;
  std::vector<Instruction> code_;
  u64 live_ = 0;
  u32 turn_ = 0;
  bool modulus_loaded_ = false;
};

}  // namespace

Schedule schedule(const Dataflow& flow, const Machine& machine, const ScheduleOptions& options) {
  return Scheduler(flow, machine, options).run();
}

}  // namespace ringfort::rpu
