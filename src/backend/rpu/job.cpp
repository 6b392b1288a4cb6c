// SPDX-License-Identifier: Apache-2.0
// The values and homes of a job (job.h), and the orders in which its steps may run.
#include "backend/rpu/job.h"

#include <algorithm>

namespace ringfort::rpu_host {

constexpr u32 kGrain = 512;  // words of a vector

void Job::end_steps() {
  steps.clear();
  operands.clear();
  words.clear();
  for (Value& value : values) value.step = kNone;
}

bool Job::is_saved(u32 v) const {
  const Value& value = values[v];
  return value.spilled || value.fill != kNone ||
         std::any_of(value.homes.begin(), value.homes.end(), [this](u32 h) { return homes[h].written; });
}

bool Job::is_owed(u32 h) const {
  const Home& home = homes[h];
  return home.current && !home.written && !(ends && home.ends);
}

bool Job::is_needed(u32 v) const {
  const Value& value = values[v];
  return value.next != kNever ||
         std::any_of(value.homes.begin(), value.homes.end(), [this](u32 h) { return is_owed(h); });
}

u32 Job::add_value(u32 value_words) {
  values.emplace_back().words = (value_words + kGrain - 1) / kGrain * kGrain;
  return static_cast<u32>(values.size() - 1);
}

u32 Job::add_home(u32 value, Rows&& rows, bool written) {
  const auto index = static_cast<u32>(homes.size());
  for (const ByteRange& s : rows.ranges) memory[{s.buffer, s.begin}] = {s.end, index};
  const bool dead =
      std::all_of(rows.ranges.begin(), rows.ranges.end(), [](const ByteRange& s) { return s.buffer->ends; });
  homes.push_back({.value = value, .rows = std::move(rows), .written = written, .older = {}, .ends = dead});
  values[value].homes.push_back(index);
  return index;
}

std::vector<u32> Job::meeting(const Rows& rows) const {
  std::vector<u32> found;
  for (const ByteRange& s : rows.ranges) {
    auto at = memory.lower_bound({s.buffer, s.begin});
    if (at != memory.begin() && std::prev(at)->first.first == s.buffer && std::prev(at)->second.end > s.begin) --at;
    for (; at != memory.end() && at->first.first == s.buffer && at->first.second < s.end; ++at) {
      if (std::find(found.begin(), found.end(), at->second.home) == found.end()) found.push_back(at->second.home);
    }
  }
  return found;
}

u32 Job::find(const Rows& rows, bool& mixed) const {
  const std::vector<u32> found = meeting(rows);
  if (found.size() == 1 && homes[found[0]].rows.ranges == rows.ranges) return homes[found[0]].value;
  mixed = !found.empty();
  return kNone;
}

void Job::leave(u32 home) {
  homes[home].current = false;
  for (const ByteRange& s : homes[home].rows.ranges) {
    const auto at = memory.find({s.buffer, s.begin});
    if (at != memory.end() && at->second.home == home) memory.erase(at);
  }
}

namespace {

// The three orders of Job::orders(): as recorded; depth first, from the first operand on; depth first, beginning with
// the operand that was recorded last.
enum class First : u8 { written, operand, last };

// Computes an order of the steps, depth first. The steps of a group stay together (Processor::Group).
class Order {
 public:
  Order(const Job& job, First first) : job_(job), first_(first) {
    for (const Step& step : job.steps) {
      if (groups_.empty() || groups_.back().number != step.group)
        groups_.push_back({.number = step.group, .first = static_cast<u32>(&step - job.steps.data())});
      ++groups_.back().steps;
      of_step_.push_back(static_cast<u32>(groups_.size() - 1));
    }
    for (u32 g = 0; g < groups_.size(); ++g) each_before(g, [this](u32 before) { groups_[before].needed = true; });
  }

  std::vector<u32> depth_first() {
    for (u32 g = 0; g < groups_.size(); ++g) {
      if (first_ == First::written || !groups_[g].needed) visit(g);
    }
    return std::move(result_);
  }

 private:
  struct Group {
    u32 number = 0, first = 0, steps = 0;
    bool needed = false, done = false;
  };

  // Calls f(h) for every other group h with a result that group g reads.
  template <class F>
  void each_before(u32 g, F f) {
    const Group& group = groups_[g];
    for (u32 s = group.first; s < group.first + group.steps; ++s) {
      const Step& step = job_.steps[s];
      for (u32 r = 0; r < step.regions; ++r) {
        const u32 in = job_.operands[step.operands + r].in;
        if (in == kNone || job_.values[in].step == kNone) continue;
        const u32 before = of_step_[job_.values[in].step];
        if (before != g) f(before);
      }
    }
  }

  // Appends the steps of a group to the result, after the steps of the groups whose results this group needs.
  void visit(u32 root) {
    std::vector<u32> stack{root};
    while (!stack.empty()) {
      const u32 g = stack.back();
      if (groups_[g].done) {
        stack.pop_back();
        continue;
      }
      u32 next = kNone;
      each_before(g, [&](u32 before) {
        if (!groups_[before].done && (next == kNone || (first_ == First::last && before > next))) next = before;
      });
      if (next != kNone) {
        stack.push_back(next);
        continue;
      }
      groups_[g].done = true;
      for (u32 s = 0; s < groups_[g].steps; ++s) result_.push_back(groups_[g].first + s);
      stack.pop_back();
    }
  }

  const Job& job_;
  First first_;
  std::vector<Group> groups_;
  std::vector<u32> of_step_, result_;
};

}  // namespace

std::vector<std::vector<u32>> Job::orders() const {
  std::vector<std::vector<u32>> found;
  for (const First first : {First::written, First::operand, First::last}) {
    std::vector<u32> order = Order(*this, first).depth_first();
    if (std::find(found.begin(), found.end(), order) == found.end()) found.push_back(std::move(order));
  }
  return found;
}

}  // namespace ringfort::rpu_host
