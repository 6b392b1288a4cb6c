// SPDX-License-Identifier: Apache-2.0
// Runs a job: executes the steps in the order of the text, times every kernel with the cycle-level simulator, then
// places the steps in time (plan.h). Two steps that no `after` orders must not touch the same words, unless both only
// read. Otherwise the result would depend on timing, and the job is rejected.
//   a transfer takes hbm_latency cycles plus the time of its bytes at hbm_gigabytes
//   a run takes one cycle for each word of scalar data that the controller writes before it, plus the kernel's cycles
// Transfers take no banks of the vector data memory from a running kernel. The model leaves out DRAM refresh, DRAM
// pages and a second channel.
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
  u64 bytes = 0;  // transfers only
  Task task;
  Span span;
};

struct Report {
  std::vector<Entry> entries;  // the programs' own transfers first, then the steps
  Activity activity;
  std::array<PipeReport, 4> pipes{};  // sum over all kernels
  u64 cycles = 0;
  u64 overlap_cycles = 0;
  double microseconds = 0;
  [[nodiscard]] u64 bytes() const noexcept;
  [[nodiscard]] u64 busy(Unit unit) const noexcept;
};

[[nodiscard]] u64 transfer_cycles(const Machine& machine, u64 bytes) noexcept;

// Executes the job; its stores change the arrays of `job`. Throws on a step outside the machine's memories, a trap and
// a race.
[[nodiscard]] Report execute(Job& job, const Machine& machine);

}  // namespace ringfort::rpu::job
