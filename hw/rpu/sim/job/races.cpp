// SPDX-License-Identifier: Apache-2.0
// Finds a race of a job (races.h). For every two steps that no `after` orders, intersects their sorted ranges of words.
#include "sim/job/races.h"

#include <algorithm>

namespace ringfort::rpu::job {
namespace {

std::optional<u64> conflict(const Footprint& a, const Footprint& b) {
  if (const auto word = a.writes.common(b.writes)) return word;
  if (const auto word = a.writes.common(b.reads)) return word;
  return a.reads.common(b.writes);
}

}  // namespace

void Ranges::add(u64 begin, u64 end) {
  auto next = ends_.upper_bound(begin);
  if (next != ends_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ends_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace(begin, end);
}

std::optional<u64> Ranges::common(const Ranges& other) const {
  auto a = ends_.begin(), b = other.ends_.begin();
  while (a != ends_.end() && b != other.ends_.end()) {
    const u64 begin = std::max(a->first, b->first);
    if (begin < std::min(a->second, b->second)) return begin;
    a->second < b->second ? ++a : ++b;
  }
  return std::nullopt;
}

void touch(Footprint& footprint, const Instruction& instruction, u64 base) {
  if (instruction.info().pipe != Pipe::load_store) return;
  Ranges& ranges = instruction.op == Op::vstore ? footprint.writes : footprint.reads;
  if (instruction.has_mode() && instruction.mode() == Mode::linear) {
    ranges.add(base, base + kVectorLength);
    return;
  }
  for (u32 i = 0; i < kVectorLength; ++i) {
    const u64 word = base + element_offset(instruction.mode(), instruction.value(), i);
    ranges.add(word, word + 1);
  }
}

std::optional<Race> find_race(const std::vector<Footprint>& steps, const std::vector<std::vector<u32>>& after) {
  const std::size_t words = (steps.size() + 63) / 64;
  std::vector<std::vector<u64>> before(steps.size());  // bit j of before[i]: step j has finished when step i starts
  for (u32 i = 0; i < steps.size(); ++i) {
    before[i].resize(words);
    for (const u32 j : after[i]) {
      before[i][j / 64] |= u64{1} << j % 64;
      for (std::size_t w = 0; w <= j / 64; ++w) before[i][w] |= before[j][w];
    }
    for (u32 j = 0; j < i; ++j)
      if (const auto word = (before[i][j / 64] >> j % 64 & 1) != 0 ? std::nullopt : conflict(steps[j], steps[i]))
        return Race{j, i, *word};
  }
  return std::nullopt;
}

}  // namespace ringfort::rpu::job
