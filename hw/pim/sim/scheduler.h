// SPDX-License-Identifier: Apache-2.0
// The issue stage of a DPU. It issues at most one instruction per cycle, in the order in which tasklets became ready.
// The same tasklet issues at most one instruction per 11 cycles. If consecutive instructions of a tasklet use only its
// registers, the simulator executes up to 64 of them in the slot of the first instruction, and counts the other slots
// afterwards. If another tasklet or the host can see the effect of an instruction, the simulator executes the
// instruction in its own slot. Therefore accesses to WRAM happen in the same order as in hardware. hw/pim/README.md
// explains the terms.
#pragma once

#include <array>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

class Scheduler {
 public:
  Scheduler(Machine& machine, u64 cycle_limit) : m_(machine), limit_(cycle_limit) {}

  // Runs tasklets until each has ended or sleeps without a time to wake. After a broken rule, a deadlock, or more
  // cycles than the limit, Machine::fault has the reason.
  void issue_all();

 private:
  struct ReadySlot {
    u64 ready = 0;
    Tasklet* tasklet = nullptr;
  };
  static constexpr unsigned kMask = 31;
  // Without this limit, an endless loop that uses only registers would never return to the code that checks the cycle
  // limit.
  static constexpr unsigned kMostAhead = 64;

  void issue_until_event();
  void run_ahead(Tasklet& tasklet);
  void pass_slots();
  void after_change(Tasklet& tasklet, u64 cycle);
  void settle(u64 cycle);
  void find_next_event();
  void insert(Tasklet& tasklet);
  void steal(u64 idle);
  void report_end();
  u64 transfer_end() const;
  bool is_private(const Operation& operation) const;
  bool anyone_ready() const { return head_ != tail_; }
  u64 next_issue() const;

  Machine& m_;
  u64 limit_;
  std::array<ReadySlot, kMask + 1> ring_{};  // queue of ready tasklets, the earliest first
  unsigned head_ = 0, tail_ = 0;
  u64 free_cycle_ = 0;  // the first cycle whose issue slot is free
  u64 next_event_ = 0;  // the next cycle in which a tasklet wakes, a transfer ends, or the limit is reached
};

}  // namespace ringfort::pim
