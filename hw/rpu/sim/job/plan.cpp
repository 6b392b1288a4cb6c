// SPDX-License-Identifier: Apache-2.0
// Schedules tasks on the off-chip memory and the processor. Repeatedly chooses the task that can start earliest.
#include "sim/job/plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace ringfort::rpu::job {
namespace {

// The tasks of one unit that have no start time yet, but whose predecessors all have a start time.
class Waiting {
 public:
  void add(u64 ready, std::size_t task) { later_.emplace(ready, task); }

  // Returns the task that can start earliest, and its start time. If several tasks can start then, returns the first
  // one in the list. Returns kNone if no task can start.
  [[nodiscard]] std::pair<u64, std::size_t> earliest(u64 free_at) {
    for (; !later_.empty() && later_.top().first <= free_at; later_.pop()) now_.push(later_.top().second);
    if (!now_.empty()) return {free_at, now_.top()};
    return later_.empty() ? kNone : later_.top();
  }
  void remove_earliest() { now_.empty() ? later_.pop() : now_.pop(); }

  static constexpr std::pair<u64, std::size_t> kNone{std::numeric_limits<u64>::max(), 0};

 private:
  template <class Item>
  using Ascending = std::priority_queue<Item, std::vector<Item>, std::greater<>>;
  Ascending<std::pair<u64, std::size_t>>
      later_;                   // the first cycle at which all predecessors have finished, and the task
  Ascending<std::size_t> now_;  // tasks that wait only until the unit is free
};

// Returns the times of the tasks of one unit, in ascending order and without tasks of zero cycles. They do not overlap.
std::vector<Span> spans_of(Unit unit, const std::vector<Task>& tasks, const std::vector<Span>& spans) {
  std::vector<Span> found;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].unit == unit && spans[i].start < spans[i].finish) found.push_back(spans[i]);
  std::sort(found.begin(), found.end(), [](const Span& a, const Span& b) { return a.finish < b.finish; });
  return found;
}

}  // namespace

std::vector<Span> plan(const std::vector<Task>& tasks) {
  std::vector<std::vector<std::size_t>> successors(tasks.size());
  std::vector<std::size_t> missing(tasks.size());  // number of predecessors that have no start time yet
  std::vector<u64> ready(tasks.size());            // latest finish of the predecessors that have a start time
  std::array<Waiting, 2> waiting;
  const auto unit_of = [&](std::size_t task) { return static_cast<std::size_t>(tasks[task].unit); };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const u32 earlier : tasks[i].after) successors[earlier].push_back(i);
    missing[i] = tasks[i].after.size();
    if (missing[i] == 0) waiting[unit_of(i)].add(0, i);
  }
  std::vector<Span> spans(tasks.size());
  std::array<u64, 2> free_at{};
  for (std::size_t left = tasks.size(); left != 0; --left) {
    // Removes the task that can start earliest. If there are several, removes the first one in the list. No task that
    // is removed later can start before this one.
    const auto [start, next] = std::min(waiting[0].earliest(free_at[0]), waiting[1].earliest(free_at[1]));
    waiting[unit_of(next)].remove_earliest();
    spans[next] = {start, start + tasks[next].cycles};
    free_at[unit_of(next)] = spans[next].finish;
    for (const std::size_t later : successors[next]) {
      ready[later] = std::max(ready[later], spans[next].finish);
      if (--missing[later] == 0) waiting[unit_of(later)].add(ready[later], later);
    }
  }
  return spans;
}

u64 overlap(const std::vector<Task>& tasks, const std::vector<Span>& spans) {
  const std::vector<Span> a = spans_of(Unit::hbm, tasks, spans), b = spans_of(Unit::rpu, tasks, spans);
  u64 both = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const u64 begin = std::max(a[i].start, b[j].start), end = std::min(a[i].finish, b[j].finish);
    both += end > begin ? end - begin : 0;
    a[i].finish < b[j].finish ? ++i : ++j;
  }
  return both;
}

}  // namespace ringfort::rpu::job
