// SPDX-License-Identifier: Apache-2.0
// The cycle-level simulator: consumes the functional simulator's events, and reports when each instruction is
// dispatched, starts and finishes, and what it waits for. It does not see values, and cannot change values.
//   front end : in order, one dispatch every `dispatch` cycles; scalar, address and modulus loads execute in it
//   dispatch  : waits for the busyboard, a place in the pipe's queue, and (ports = dispatch) free register memories
//   pipe      : in order; start = max(dispatch + 1, pipe free); finish = start + occupancy + latency
// With ports = head an instruction waits for its register memories at the head of its queue instead.
// The model leaves out instruction fetch (the instruction memory delivers one word per cycle) and off-chip transfers.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "sim/cost.h"
#include "sim/functional.h"
#include "sim/timing/busyboard.h"
#include "sim/timing/ports.h"

namespace ringfort::rpu {

// The reason why an instruction waits in the front end.
enum class Stall : u8 { front_end, busyboard, queue, port };
inline constexpr std::array<const char*, 4> kStallNames{"front_end", "busyboard", "queue", "port"};
inline constexpr std::array<const char*, 4> kPipeNames{"front_end", "load_store", "compute", "shuffle"};

struct Record {
  u32 pc = 0;
  Instruction instruction;
  u64 arrive = 0;  // first cycle in the front end
  u64 dispatch = 0;
  u64 start = 0;  // first cycle in its pipe; occupancy and latency count from here
  u32 occupancy = 0;
  u32 latency = 0;
  std::array<u32, 4> stalls{};
  u32 blocked_by = 0;  // pc of the last instruction that blocked it; valid if a busyboard or port stall is counted
  [[nodiscard]] u64 finish() const noexcept { return start + occupancy + latency; }
};

struct PipeReport {
  u64 instructions = 0;
  u64 busy_cycles = 0;
  std::array<u64, 4> stalls{};
};

struct TimingReport {
  u64 cycles = 0;
  double microseconds = 0;
  std::array<PipeReport, 4> pipes{};
};

class Timing {
 public:
  explicit Timing(const Machine& machine);

  void consume(const Event& event);
  // Lets all instructions finish. Records are complete only after this call.
  [[nodiscard]] TimingReport finish();
  [[nodiscard]] const std::vector<Record>& records() const noexcept { return records_; }

  // Queries for a scheduler. `now` must be >= next_slot() and must never decrease; settle(now) comes before each round
  // of queries. The next consumed instruction is dispatched at `now` or later. Starts are exact unless ports = head.
  void settle(u64 now);
  [[nodiscard]] u64 next_slot() const noexcept { return next_slot_; }
  [[nodiscard]] u64 start_if_dispatched(Pipe pipe, u64 now) const noexcept;
  [[nodiscard]] bool queue_full(Pipe pipe, u64 now) const noexcept;
  [[nodiscard]] bool registers_free(const VectorUse& use, u64 now) const noexcept {
    return !busyboard_.blocking(use, now);
  }
  [[nodiscard]] bool windows_free(const PortWindows& w, u64 start) const noexcept { return !ports_.conflict(w, start); }

 private:
  struct PipeState {
    u64 free_at = 0;
    std::deque<std::size_t> waiting;  // records that are dispatched but not started
  };
  struct Wait {
    Stall cause;
    u64 until;  // first cycle in which to try the dispatch again
    u32 blocked_by;
  };

  [[nodiscard]] std::optional<Wait> hindrance(const Record& record, const VectorUse& use, u64 now);
  void execute_in_front_end(Record& record);
  void dispatch(Record record, const VectorUse& use);
  void begin(std::size_t index, u64 start);
  void advance_heads(u64 now);
  void drop_started(PipeState& pipe, u64 now);
  [[nodiscard]] PortWindows windows(const Record& record) const noexcept;

  Machine machine_;
  BusyboardModel busyboard_;
  PortTable ports_;
  std::array<PipeState, 4> pipes_{};
  std::vector<Record> records_;
  u64 next_slot_ = 0;  // first cycle in which the front end may dispatch again
  u64 arrive_ = 0;
  u64 heads_at_ = 0;  // queue heads are settled before this cycle
};

}  // namespace ringfort::rpu
