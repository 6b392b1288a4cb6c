// SPDX-License-Identifier: Apache-2.0
// Computes when each task of a job starts. There are two units: the off-chip memory (HBM), which makes transfers, and
// the processor, which runs kernels. They work at the same time, and each works on one task at a time. A unit that
// becomes free takes the first task of the list whose predecessors have all finished.
#pragma once

#include <vector>

#include "sim/word.h"

namespace ringfort::rpu::job {

enum class Unit : u8 { hbm, rpu };

struct Task {
  Unit unit = Unit::rpu;
  u64 cycles = 0;
  std::vector<u32> after;  // indices of the earlier tasks for which it waits
};

struct Span {
  u64 start = 0;
  u64 finish = 0;
};

[[nodiscard]] std::vector<Span> plan(const std::vector<Task>& tasks);

// Returns the number of cycles in which both units work.
[[nodiscard]] u64 overlap(const std::vector<Task>& tasks, const std::vector<Span>& spans);

}  // namespace ringfort::rpu::job
