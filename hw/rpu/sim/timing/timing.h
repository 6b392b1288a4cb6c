// SPDX-License-Identifier: Apache-2.0
// The cycle-level simulator. It reads the events of the functional simulator. For each instruction it computes when the
// instruction is dispatched, starts and finishes, and what it waits for. The simulator does not see values.
//   front end : in order; one dispatch every `dispatch` cycles; executes loads of scalar, address and modulus registers
//   dispatch  : waits until the busyboard (a scoreboard) shows that the registers are free, and until the queue of the
//               pipe is not full. With the machine parameter ports = dispatch, also waits until the register memories
//               are free
//   pipe      : in order; start = max(dispatch + 1, cycle in which the pipe is free);
//               finish = start + occupancy + latency
// With ports = head, an instruction waits for register memories at the head of its queue instead. The model leaves out
// off-chip transfers. It also leaves out instruction fetch, because the instruction memory delivers one word per cycle
// and thus never delays the front end. hw/rpu/README.md explains the terms.
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
  u64 start = 0;  // first cycle in its pipe; finish() counts from this cycle
  u32 occupancy = 0;
  u32 latency = 0;
  std::array<u32, 4> stalls{};
  u32 blocked_by = 0;  // pc of the last instruction that blocked it; valid if stalls has a busyboard or port stall
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
  // Lets all instructions finish. Before this call, records may be incomplete.
  [[nodiscard]] TimingReport finish();
  [[nodiscard]] const std::vector<Record>& records() const noexcept { return records_; }

  // Queries for a scheduler. `now` must be at least next_slot() and must not decrease. Call settle(now) before queries
  // about the cycle `now`. The instruction that is consumed next is dispatched at `now` or later. The starts that
  // queries return are exact, except with ports = head.
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
    std::deque<std::size_t> waiting;  // indices of records that are dispatched and have not started
  };
  struct Wait {
    Stall cause;
    u64 until;  // first cycle in which to try to dispatch again
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
  u64 next_slot_ = 0;  // first cycle in which the front end can dispatch its next instruction
  u64 arrive_ = 0;
  u64 heads_at_ = 0;  // the heads of the queues have been settled for all earlier cycles
};

}  // namespace ringfort::rpu
