// SPDX-License-Identifier: Apache-2.0
// Computes the start of each task of a job. Off-chip memory and processor work at the same time, each on one task. When
// a unit is free, it takes the first task of the list whose predecessors have all finished.
#pragma once

#include <vector>

#include "sim/word.h"

namespace ringfort::rpu::job {

enum class Unit : u8 { hbm, rpu };

struct Task {
  Unit unit = Unit::rpu;
  u64 cycles = 0;
  std::vector<u32> after;  // indices of earlier tasks
};

struct Span {
  u64 start = 0;
  u64 finish = 0;
};

[[nodiscard]] std::vector<Span> plan(const std::vector<Task>& tasks);

// Returns the number of cycles in which the off-chip memory and the processor both work.
[[nodiscard]] u64 overlap(const std::vector<Task>& tasks, const std::vector<Span>& spans);

}  // namespace ringfort::rpu::job
