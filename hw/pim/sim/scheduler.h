// SPDX-License-Identifier: Apache-2.0
// The issue stage of a DPU: one instruction a cycle, at most every 11 cycles one of the same tasklet, in the order in
// which tasklets became ready. Instructions on a tasklet's own registers are carried out together, at the slot of the
// first, and then their slots pass; whatever another tasklet or the host could see happens at its own slot, so that
// WRAM is seen in true order.
#pragma once

#include <array>

#include "machine.h"
#include "words.h"

namespace ringfort::pim {

class Scheduler {
 public:
  Scheduler(Machine& machine, u64 cycle_limit) : m_(machine), limit_(cycle_limit) {}

  // Runs all ready tasklets until none is left; Machine::fault tells of broken rules, deadlock and the limit.
  void issue_all();

 private:
  struct ReadySlot {
    u64 ready = 0;
    Tasklet* tasklet = nullptr;
  };
  static constexpr unsigned kMask = 31;
  static constexpr unsigned kMostAhead = 64;  // a loop that touches nothing must still meet the limit

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
  u64 next_event_ = 0;  // a tasklet wakes, a transfer ends, or the limit
};

}  // namespace ringfort::pim
