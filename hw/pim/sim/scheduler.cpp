// SPDX-License-Identifier: Apache-2.0
// Runs the tasklets of a DPU. The scheduler keeps a queue of ready tasklets, sorted by the first cycle in which each
// may issue an instruction. A tasklet that stays ready after an instruction goes to the end of the queue, because it
// may issue again only 11 cycles later. When a tasklet falls asleep, stops, wakes or halts, the scheduler searches all
// tasklets, at most 24, for the next cycle in which one wakes. hw/pim/README.md explains the terms.
#include "scheduler.h"
#include "words.h"

#include <algorithm>

namespace ringfort::pim {
namespace {
constexpr u64 kNever = ~u64{0};
constexpr u64 kCenti = 100;
}  // namespace

bool Scheduler::is_private(const Operation& operation) const {
  const auto index = static_cast<std::size_t>(&operation - m_.text.data());
  return index < m_.text.size() && m_.is_private[index];
}

u64 Scheduler::next_issue() const { return std::max(ring_[head_ & kMask].ready, free_cycle_); }

u64 Scheduler::transfer_end() const {
  return m_.dma.length == 0 ? kNever : (m_.dma.queue[m_.dma.first].end + kCenti - 1) / kCenti;
}

void Scheduler::issue_all() {
  for (auto& tasklet : m_.tasklets) {
    if (tasklet.state == Tasklet::State::ready) ring_[tail_++ & kMask] = {tasklet.id, &tasklet};
  }
  find_next_event();
  while (m_.fault.code == FaultCode::none) {
    issue_until_event();
    if (!anyone_ready() && next_event_ >= limit_) break;
    if (m_.fault.code == FaultCode::none) settle(anyone_ready() ? next_issue() : next_event_);
  }
  report_end();
}

// Runs the innermost loop. The loop allocates nothing, and makes at most one indirect call per instruction.
void Scheduler::issue_until_event() {
  while (anyone_ready()) {
    if (m_.dma.length == 0) pass_slots();
    const ReadySlot next = ring_[head_ & kMask];
    const u64 cycle = std::max(next.ready, free_cycle_);
    if (cycle >= next_event_) return;
    ++head_;
    if (m_.dma.length != 0) steal(cycle - free_cycle_);
    free_cycle_ = std::max(free_cycle_, cycle) + 1;
    m_.now = cycle;
    ++m_.issued;
    Tasklet& tasklet = *next.tasklet;
    if (tasklet.ahead != 0) {
      --tasklet.ahead;
      ring_[tail_++ & kMask] = {cycle + m_.timing.issue_interval, &tasklet};
      continue;
    }
    const Operation& operation = *tasklet.pc;
    if (is_private(operation)) {
      run_ahead(tasklet);
      ring_[tail_++ & kMask] = {cycle + m_.timing.issue_interval, &tasklet};
      continue;
    }
    const Outcome outcome = operation.execute(m_, tasklet, operation);
    if (outcome == Outcome::goes_on) {
      ring_[tail_++ & kMask] = {cycle + m_.timing.issue_interval, &tasklet};
      continue;
    }
    if (outcome == Outcome::faults) return;
    after_change(tasklet, cycle);
  }
}

// Counts the issue slots of instructions that run_ahead() has already executed, up to the next event. Must not be
// called during a transfer.
void Scheduler::pass_slots() {
  unsigned head = head_, tail = tail_;
  u64 free = free_cycle_, issued = 0;
  while (true) {
    const ReadySlot next = ring_[head & kMask];
    const u64 cycle = std::max(next.ready, free);
    if (next.tasklet->ahead == 0 || cycle >= next_event_) break;
    --next.tasklet->ahead;
    ++head;
    ring_[tail++ & kMask] = {cycle + m_.timing.issue_interval, next.tasklet};
    free = cycle + 1;
    ++issued;
  }
  head_ = head, tail_ = tail;
  free_cycle_ = free;
  m_.issued += issued;
}

void Scheduler::run_ahead(Tasklet& tasklet) {
  const Operation* const text = m_.text.data();
  const u8* const is_private = m_.is_private.data();
  u32 slots = 0;
  unsigned left = kMostAhead;
  do {
    const Operation& operation = *tasklet.pc;
    operation.execute(m_, tasklet, operation);
    ++slots;
    if (tasklet.pc == &kIdleSlot) {
      slots += tasklet.owed;
      tasklet.pc = tasklet.resume;
    }
  } while (--left != 0 && is_private[tasklet.pc - text] != 0);
  tasklet.ahead = slots - 1;
}

void Scheduler::after_change(Tasklet& tasklet, u64 cycle) {
  if (tasklet.state == Tasklet::State::ready) ring_[tail_++ & kMask] = {cycle + m_.timing.issue_interval, &tasklet};
  if (tasklet.state == Tasklet::State::asleep) tasklet.wake = std::max(tasklet.wake, cycle + m_.timing.issue_interval);
  if (tasklet.state == Tasklet::State::halted) m_.counters.cycles = cycle + 1;
  find_next_event();
}

// Gives issue slots to the active transfer: the idle slots before the current instruction, and one slot right after it.
void Scheduler::steal(u64 idle) {
  auto& slots = m_.dma.front().slots;
  slots -= static_cast<u32>(std::min<u64>(slots, idle));
  if (slots == 0) return;
  --slots;
  ++free_cycle_;
  ++m_.counters.stolen_slots;
}

// Processes all events up to `cycle`. Events are the end of a transfer, the waking of a tasklet, and the cycle limit.
void Scheduler::settle(u64 cycle) {
  if (cycle >= limit_) {
    const Tasklet* running = anyone_ready() ? ring_[head_ & kMask].tasklet : nullptr;
    const bool named = running != nullptr && running->pc != &kIdleSlot;
    m_.fault = {FaultCode::cycle_limit, running == nullptr ? 0u : running->id, named ? m_.address_of(running->pc) : 0,
                "the program did not end within " + std::to_string(limit_) +
                    " cycles; look for an endless loop, or raise the limit (cycles=N of the profile)"};
    return;
  }
  while (transfer_end() <= cycle) m_.dma.pop();
  for (auto& tasklet : m_.tasklets) {
    if (tasklet.state == Tasklet::State::asleep && tasklet.wake <= cycle) insert(tasklet);
  }
  find_next_event();
}

// Inserts a tasklet into the queue by the cycle in which it wakes, behind the tasklets that are ready in the same
// cycle.
void Scheduler::insert(Tasklet& tasklet) {
  tasklet.state = Tasklet::State::ready;
  unsigned at = tail_++;
  for (; at != head_ && ring_[(at - 1) & kMask].ready > tasklet.wake; --at) ring_[at & kMask] = ring_[(at - 1) & kMask];
  ring_[at & kMask] = {tasklet.wake, &tasklet};
}

void Scheduler::find_next_event() {
  next_event_ = std::min(limit_, transfer_end());
  for (const auto& tasklet : m_.tasklets) {
    if (tasklet.state == Tasklet::State::asleep) next_event_ = std::min(next_event_, tasklet.wake);
  }
}

void Scheduler::report_end() {
  if (m_.fault.code != FaultCode::none) {
    m_.counters.cycles = free_cycle_;
    return;
  }
  std::string sleeping;
  for (const auto& tasklet : m_.tasklets) {
    if (tasklet.state == Tasklet::State::stopped)
      sleeping += (sleeping.empty() ? "" : ", ") + std::to_string(tasklet.id);
  }
  if (sleeping.empty()) return;
  m_.fault = {FaultCode::deadlock, 0, 0,
              "all other tasklets have ended, and these sleep for ever: " + sleeping +
                  "; compare the count in BARRIER_INIT with NR_TASKLETS, and sem_take with sem_give"};
}

}  // namespace ringfort::pim
