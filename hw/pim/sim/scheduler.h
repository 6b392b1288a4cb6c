// SPDX-License-Identifier: Apache-2.0
// The issue stage of a DPU: one instruction per cycle, at most one per 11 cycles from the same tasklet, in the order in
// which tasklets became ready. The simulator executes consecutive instructions that use only registers of the tasklet
// together, in the slot of the first of them, and counts their slots afterwards. It executes an instruction whose
// effect another tasklet or the host can see in the instruction's own slot. Therefore accesses to WRAM happen in the
// order of the hardware.
#pragma once

#include <array>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

class Scheduler {
 public:
  Scheduler(Machine& machine, u64 cycle_limit) : m_(machine), limit_(cycle_limit) {}

  // Runs tasklets until none is ready. Machine::fault reports broken rules, a deadlock, or more cycles than the limit.
  void issue_all();

 private:
  struct ReadySlot {
    u64 ready = 0;
    Tasklet* tasklet = nullptr;
  };
  static constexpr unsigned kMask = 31;
  static constexpr unsigned kMostAhead = 64;  // so that a loop on registers alone still reaches the cycle limit

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
  std::array<ReadySlot, kMask + 1> ring_{};  // ready tasklets, the earliest first
  unsigned head_ = 0, tail_ = 0;
  u64 free_cycle_ = 0;  // the first cycle whose slot is free
  u64 next_event_ = 0;  // when a tasklet wakes, a transfer ends, or the limit is reached
};

}  // namespace ringfort::pim
