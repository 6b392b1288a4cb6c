// SPDX-License-Identifier: Apache-2.0
// Chooses one operation for each slot of the front end. Opens blocks until `open_blocks` of them (Habits) are in
// progress.
#include "codegen/scheduler.h"

#include <algorithm>

namespace ringfort::rpu {
namespace {

constexpr u64 kGiveUp = 1U << 10;  // cycles without a dispatch, after which the scheduler gives up
constexpr std::array<Pipe, 3> kPipes{Pipe::compute, Pipe::shuffle, Pipe::load_store};

}  // namespace

Scheduler::Scheduler(const FlowFacts& facts, const Machine& machine, const ScalarLoads& scalars, u32 constant_memories)
    : facts_(&facts),
      timing_(machine),
      placement_(facts, machine, constant_memories),
      scalars_(scalars),
      order_(facts.flow),
      ordered_(facts.flow.operations().size()),
      dispatched_(facts.flow.operations().size()),
      needs_(facts.needs),
      left_(facts.flow.blocks().size()),
      block_of_(facts.flow.operations().size()),
      rank_(facts.flow.operations().size()),
      key_(facts.flow.operations().size()) {
  for (std::size_t i = 0; i < facts.flow.operations().size(); ++i)
    work_[static_cast<std::size_t>(pipe_of(facts.flow.operations()[i]))] += facts.occupancies[i];
  emit(scalars_.take(), 0);  // the base address
}

void Scheduler::adopt(const Habits& habits) {
  habits_ = habits;
  random_.seed(habits.seed);
  std::erase_if(open_, [this](const Ranked& ranked) { return dispatched_[ranked.operation]; });
  first_ = 0;
  for (auto& offered : offered_) offered.clear();
  for (Ranked& ranked : open_) {
    ranked.key = ranked.rank + habits_.jitter * unit();
    key_[ranked.operation] = ranked.key;
    offer(ranked);
  }
  std::sort(open_.begin(), open_.end());
}

bool Scheduler::schedule_until(std::size_t operations) {
  u64 progress = now_ = std::max(now_, timing_.next_slot());
  for (open_blocks(); scheduled_ < operations && !working_.empty(); open_blocks()) {
    timing_.settle(now_);
    if (dispatch_one()) {
      progress = now_ = timing_.next_slot();
    } else if (scalars_.pending()) {
      emit(scalars_.take(), 0);
      progress = now_ = timing_.next_slot();
    } else if (++now_ > progress + kGiveUp) {
      return false;
    }
  }
  return true;
}

bool Scheduler::run_in_order() {
  while (scalars_.pending()) emit(scalars_.take(), 0);
  for (std::size_t i = 0; i < facts_->flow.operations().size(); ++i) {
    const auto instruction = placement_.anywhere(i);
    if (!instruction) return false;
    commit(i, *instruction);
  }
  return true;
}

std::array<u64, 2> Scheduler::outlook() const noexcept {
  u64 bound = 0, sum = 0;
  for (const Pipe pipe : kPipes) {
    const u64 free = timing_.start_if_dispatched(pipe, now_);
    bound = std::max(bound, free + work_[static_cast<std::size_t>(pipe)]);
    sum += free + work_[static_cast<std::size_t>(pipe)];
  }
  return {bound, sum};
}

std::vector<Instruction> Scheduler::code() const {
  std::vector<Instruction> code = code_;
  code.back().end = true;
  return code;
}

// Opens blocks in order until `open_blocks` of them are in progress.
void Scheduler::open_blocks() {
  std::erase_if(working_, [this](std::size_t block) { return left_[block] == 0; });
  while (next_ < left_.size() && working_.size() < habits_.open_blocks) open(next_++);
}

void Scheduler::open(std::size_t block) {
  const auto order = order_.block(block);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double rank = rank_[order[k]] = base_ + static_cast<double>(k);
    ordered_[order[k]] = true;
    block_of_[order[k]] = static_cast<u32>(block);
    open_.push_back({rank + habits_.jitter * unit(), rank, order[k]});
    key_[order[k]] = open_.back().key;
    offer(open_.back());
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  std::sort(open_.begin(), open_.end());
  left_[block] = order.size();
  working_.push_back(block);
  base_ += habits_.skew * static_cast<double>(order.size());
}

bool Scheduler::dispatch_one() {
  std::array<Pipe, 3> pipes = kPipes;
  if (habits_.prefer == Prefer::shuffle) std::swap(pipes[0], pipes[1]);
  if (habits_.prefer == Prefer::driest)
    std::stable_sort(pipes.begin(), pipes.end(), [this](Pipe x, Pipe y) {
      return timing_.start_if_dispatched(x, 0) < timing_.start_if_dispatched(y, 0);
    });
  return std::any_of(pipes.begin(), pipes.end(), [this](Pipe pipe) { return dispatch_from(pipe); });
}

bool Scheduler::dispatch_from(Pipe pipe) {
  if (timing_.queue_full(pipe, now_) || timing_.start_if_dispatched(pipe, now_) > now_ + habits_.horizon) return false;
  auto& offered = offered_[static_cast<std::size_t>(pipe)];
  for (auto candidate = offered.begin(); candidate != offered.end(); ++candidate) {
    const std::size_t i = candidate->operation;
    if (held_back(*candidate) || !placement_.sources_ready(i, timing_, now_)) continue;
    const auto instruction = placement_.at(i, timing_, now_);
    if (!instruction) continue;
    while (scalars_.needed(facts_->flow.operations()[i])) emit(scalars_.take(), 0);
    offered.erase(candidate);
    --left_[block_of_[i]];
    commit(i, *instruction);
    return true;
  }
  return false;
}

// Adds an operation to the candidates of its pipe if all its predecessors are placed.
void Scheduler::offer(const Ranked& ranked) {
  if (needs_[ranked.operation] != 0) return;
  auto& offered = offered_[static_cast<std::size_t>(pipe_of(facts_->flow.operations()[ranked.operation]))];
  offered.insert(std::lower_bound(offered.begin(), offered.end(), ranked), ranked);
}

// Tells whether a load must wait, so that the operations in progress have enough registers. A load that is near the
// first waiting operation never waits, because that operation may need it. Near means that their keys differ by at most
// the largest jitter.
bool Scheduler::held_back(const Ranked& ranked) {
  const Operation& operation = facts_->flow.operations()[ranked.operation];
  if (operation.op != Op::vload) return false;
  while (dispatched_[open_[first_].operation]) ++first_;
  const ValueKind kind = facts_->flow.values()[operation.results[0]];
  return ranked.key > open_[first_].key + habits_.jitter && kind == ValueKind::data &&
         placement_.free_registers(kind) <= habits_.reserve;
}

void Scheduler::commit(std::size_t i, const Instruction& instruction) {
  const Operation& operation = facts_->flow.operations()[i];
  placement_.commit(i, instruction);
  dispatched_[i] = true;
  ++scheduled_;
  for (const std::size_t other : facts_->followers[i])
    if (--needs_[other] == 0 && ordered_[other]) offer({key_[other], rank_[other], other});
  work_[static_cast<std::size_t>(pipe_of(operation))] -= facts_->occupancies[i];
  emit(instruction, operation.address);
}

void Scheduler::emit(const Instruction& instruction, u64 base) {
  timing_.consume({static_cast<u32>(code_.size()), instruction, base});
  code_.push_back(instruction);
}

}  // namespace ringfort::rpu
