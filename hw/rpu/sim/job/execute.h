// SPDX-License-Identifier: Apache-2.0
// Runs a job. It executes the steps in the order of the text, and measures every kernel with the cycle-level simulator.
// Then it computes the time at which each step starts (plan.h). If no `after` orders two steps, they may read the same
// words, but neither may write a word that the other one uses. Otherwise the result would depend on timing, and the job
// is rejected.
//   a transfer takes hbm_latency cycles plus the time of its bytes at hbm_gigabytes
//   a run takes one cycle for each word of scalar data that the controller writes before the kernel, plus the cycles of
//   the kernel
// A transfer never delays a running kernel. The model leaves out details of the off-chip memory: refresh, pages, and a
// second channel. hw/rpu/README.md explains the terms of the machine.
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
  u64 bytes = 0;  // for transfers only
  Task task;
  Span span;
};

struct Report {
  std::vector<Entry> entries;  // the transfers of the programs, then the steps
  Activity activity;
  std::array<PipeReport, 4> pipes{};  // sums over all kernels
  u64 cycles = 0;
  u64 overlap_cycles = 0;
  double microseconds = 0;
  [[nodiscard]] u64 bytes() const noexcept;
  [[nodiscard]] u64 busy(Unit unit) const noexcept;
};

[[nodiscard]] u64 transfer_cycles(const Machine& machine, u64 bytes) noexcept;

// Executes the job. Stores change the arrays of `job`. Throws for a step outside the machine's memories, for a trap and
// for a race (races.h).
[[nodiscard]] Report execute(Job& job, const Machine& machine);

}  // namespace ringfort::rpu::job
