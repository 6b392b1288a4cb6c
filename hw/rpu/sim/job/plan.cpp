// SPDX-License-Identifier: Apache-2.0
#include "sim/job/plan.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ringfort::rpu::job {
namespace {

constexpr u64 kUnknown = std::numeric_limits<u64>::max();

// Returns the first cycle at which all predecessors of a task have finished; kUnknown while one of them has no start.
u64 ready_at(const Task& task, const std::vector<Span>& spans) {
  u64 ready = 0;
  for (const u32 earlier : task.after) ready = std::max(ready, spans[earlier].finish);
  return ready;
}

}  // namespace

std::vector<Span> plan(const std::vector<Task>& tasks) {
  std::vector<Span> spans(tasks.size(), Span{kUnknown, kUnknown});
  std::array<u64, 2> free_at{};
  for (std::size_t left = tasks.size(); left != 0; --left) {
    // Takes the task that can start earliest, the first in the list among equals. No later choice can start before it.
    std::size_t next = tasks.size();
    u64 start = kUnknown;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (spans[i].start != kUnknown) continue;
      const u64 ready = ready_at(tasks[i], spans);
      const u64 begin =
          ready == kUnknown ? kUnknown : std::max(ready, free_at[static_cast<std::size_t>(tasks[i].unit)]);
      if (begin < start) {
        next = i;
        start = begin;
      }
    }
    spans[next] = {start, start + tasks[next].cycles};
    free_at[static_cast<std::size_t>(tasks[next].unit)] = spans[next].finish;
  }
  return spans;
}

u64 overlap(const std::vector<Task>& tasks, const std::vector<Span>& spans) {
  u64 both = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    for (std::size_t j = 0; j < tasks.size(); ++j)
      if (tasks[i].unit == Unit::hbm && tasks[j].unit == Unit::rpu) {
        const u64 begin = std::max(spans[i].start, spans[j].start), end = std::min(spans[i].finish, spans[j].finish);
        both += end > begin ? end - begin : 0;
      }
  return both;
}

}  // namespace ringfort::rpu::job
