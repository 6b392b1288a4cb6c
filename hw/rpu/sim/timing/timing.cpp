// SPDX-License-Identifier: Apache-2.0
// Computes the times of one instruction after another by the rules of timing.h. The model skips the cycles in which
// nothing can change. Therefore an instruction costs the simulator only a few steps. With ports = head (timing.h), the
// model advances cycle by cycle, because then the start of an instruction depends on the other pipes.
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr std::size_t index_of(Pipe pipe) noexcept { return static_cast<std::size_t>(pipe); }

}  // namespace

Timing::Timing(const Machine& machine) : machine_(machine), busyboard_(machine.busyboard) {}

void Timing::consume(const Event& event) {
  Record record;
  record.pc = event.pc;
  record.instruction = event.instruction;
  record.occupancy = rpu::occupancy(machine_, event.instruction, event.base);
  record.latency = rpu::latency(machine_, event.instruction.info().latency);
  record.arrive = arrive_;
  record.dispatch = next_slot_;
  record.stalls[static_cast<std::size_t>(Stall::front_end)] = static_cast<u32>(next_slot_ - arrive_);
  if (event.instruction.info().pipe == Pipe::front_end) {
    execute_in_front_end(record);
    return;
  }
  const VectorUse use = vector_use(event.instruction);
  if (heads_at_ > record.dispatch + 1) record.dispatch = heads_at_ - 1;  // settle() has already settled earlier cycles
  while (const auto wait = hindrance(record, use, record.dispatch)) {
    record.stalls[static_cast<std::size_t>(wait->cause)] += static_cast<u32>(wait->until - record.dispatch);
    if (wait->cause != Stall::queue) record.blocked_by = wait->blocked_by;
    record.dispatch = wait->until;
  }
  dispatch(record, use);
}

void Timing::settle(u64 now) {
  if (machine_.ports == Ports::kHead) advance_heads(now);
}

u64 Timing::start_if_dispatched(Pipe pipe, u64 now) const noexcept {
  return std::max(now + 1, pipes_[index_of(pipe)].free_at);
}

bool Timing::queue_full(Pipe pipe, u64 now) const noexcept {
  const auto& waiting = pipes_[index_of(pipe)].waiting;
  if (machine_.ports == Ports::kHead) return waiting.size() >= machine_.queue_depth;
  const auto started =
      std::find_if(waiting.begin(), waiting.end(), [&](std::size_t i) { return records_[i].start > now; });
  return static_cast<std::size_t>(waiting.end() - started) >= machine_.queue_depth;
}

void Timing::execute_in_front_end(Record& record) {
  record.start = record.dispatch;
  arrive_ = record.dispatch + 1;
  next_slot_ = record.dispatch + std::max(machine_.dispatch, machine_.scalar_cycles);
  records_.push_back(record);
}

std::optional<Timing::Wait> Timing::hindrance(const Record& record, const VectorUse& use, u64 now) {
  if (machine_.ports == Ports::kHead) advance_heads(now);
  PipeState& pipe = pipes_[index_of(record.instruction.info().pipe)];
  if (const auto r = busyboard_.blocking(use, now))
    return Wait{Stall::busyboard, std::max(now + 1, busyboard_.known_until(*r)), busyboard_.holder(*r)};
  drop_started(pipe, now);
  if (pipe.waiting.size() >= machine_.queue_depth) {
    const bool settled = machine_.ports != Ports::kHead;
    const u64 leaves = settled ? records_[pipe.waiting[pipe.waiting.size() - machine_.queue_depth]].start : now + 1;
    return Wait{Stall::queue, leaves, 0};
  }
  if (machine_.ports != Ports::kDispatch) return std::nullopt;
  ports_.forget_before(now);
  if (const auto pc = ports_.conflict(windows(record), std::max(now + 1, pipe.free_at)))
    return Wait{Stall::port, now + 1, *pc};
  return std::nullopt;
}

void Timing::dispatch(Record record, const VectorUse& use) {
  PipeState& pipe = pipes_[index_of(record.instruction.info().pipe)];
  busyboard_.dispatch(use, record.pc);
  arrive_ = record.dispatch + 1;
  next_slot_ = record.dispatch + machine_.dispatch;
  const u64 start = std::max(record.dispatch + 1, pipe.free_at);
  records_.push_back(record);
  pipe.waiting.push_back(records_.size() - 1);
  if (machine_.ports != Ports::kHead) begin(records_.size() - 1, start);
}

// Sets the start of a record. Updates the pipe, the register memories and the busyboard.
void Timing::begin(std::size_t index, u64 start) {
  Record& record = records_[index];
  record.start = start;
  pipes_[index_of(record.instruction.info().pipe)].free_at = start + record.occupancy;
  if (machine_.ports != Ports::kNone) ports_.reserve(windows(record), start, record.pc);
  busyboard_.start(vector_use(record.instruction), record.finish());
}

// Called only with ports = head. For every cycle up to `now`, starts the instructions at the heads of the queues that
// can start. The pipe for loads and stores comes first.
void Timing::advance_heads(u64 now) {
  for (; heads_at_ <= now; ++heads_at_) {
    for (PipeState& pipe : pipes_) {
      if (pipe.waiting.empty() || pipe.free_at > heads_at_) continue;
      const std::size_t index = pipe.waiting.front();
      if (records_[index].dispatch >= heads_at_ || ports_.conflict(windows(records_[index]), heads_at_)) continue;
      pipe.waiting.pop_front();
      begin(index, heads_at_);
    }
    ports_.forget_before(heads_at_);
  }
}

void Timing::drop_started(PipeState& pipe, u64 now) {
  if (machine_.ports == Ports::kHead) return;  // advance_heads() removes them
  while (!pipe.waiting.empty() && records_[pipe.waiting.front()].start <= now) pipe.waiting.pop_front();
}

PortWindows Timing::windows(const Record& record) const noexcept {
  const VectorUse use = vector_use(record.instruction);
  return {memories_of(use.reads), memories_of(use.writes), record.occupancy, record.latency};
}

TimingReport Timing::finish() {
  if (machine_.ports == Ports::kHead)
    while (std::any_of(pipes_.begin(), pipes_.end(), [](const PipeState& pipe) { return !pipe.waiting.empty(); }))
      advance_heads(heads_at_);
  TimingReport report;
  for (const Record& record : records_) {
    PipeReport& pipe = report.pipes[index_of(record.instruction.info().pipe)];
    ++pipe.instructions;
    pipe.busy_cycles += record.occupancy;
    for (std::size_t cause = 0; cause < kStallNames.size(); ++cause) pipe.stalls[cause] += record.stalls[cause];
    report.cycles = std::max(report.cycles, record.finish());
  }
  report.microseconds = static_cast<double>(report.cycles) / machine_.clock_mhz();
  return report;
}

}  // namespace ringfort::rpu
