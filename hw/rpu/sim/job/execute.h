// SPDX-License-Identifier: Apache-2.0
// Runs a job: every step's values in the order of the text, every kernel timed by the cycle-level simulator, then the
// steps placed in time (plan.h). Two steps that no `after` orders must not touch the same words, unless both only read:
// otherwise the job is refused, because its result would depend on timing.
//   a transfer takes hbm_latency cycles and its bytes at hbm_gigabytes
//   a run takes one cycle for each word of scalar data that the controller writes before it, and the kernel's own
//   cycles
// Transfers do not take banks of the vector data memory from a running kernel; not here: refresh, pages, two channels.
#pragma once

#include "sim/activity.h"
#include "sim/job/job.h"
#include "sim/job/plan.h"
#include "sim/machine.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu::job {

struct Entry {
  std::string name;
  const char* kind = "";
  u64 bytes = 0;  // of transfers
  Task task;
  Span span;
};

struct Report {
  std::vector<Entry> entries;  // the programs' own transfers first, then the steps
  Activity activity;
  std::array<PipeReport, 4> pipes{};  // of all kernels together
  u64 cycles = 0;
  u64 overlap_cycles = 0;
  double microseconds = 0;
  [[nodiscard]] u64 bytes() const noexcept;
  [[nodiscard]] u64 busy(Unit unit) const noexcept;
};

[[nodiscard]] u64 transfer_cycles(const Machine& machine, u64 bytes) noexcept;

// The arrays of `job` hold what its stores wrote afterwards. Refuses what does not fit the machine's memories, traps
// and races.
[[nodiscard]] Report execute(Job& job, const Machine& machine);

}  // namespace ringfort::rpu::job
