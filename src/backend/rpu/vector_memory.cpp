// SPDX-License-Identifier: Apache-2.0
// Chooses the addresses of values in the vector memory (vector_memory.h). The costs of removing values and of waiting
// decide.
#include "backend/rpu/vector_memory.h"

#include <algorithm>

#include "sim/job/execute.h"

namespace ringfort::rpu_host {

std::vector<u32> VectorMemory::values_in(u32 address, u32 words, const Job& job) const {
  std::vector<u32> found;
  auto at = values_.lower_bound(address);
  if (at != values_.begin() && std::prev(at)->first + job.values[std::prev(at)->second].words > address) --at;
  for (; at != values_.end() && at->first < address + words; ++at) found.push_back(at->second);
  return found;
}

namespace {

// Cost of removing a value that is used again after s steps: kPatience / s times the transfer of its words. If the
// value must first be stored, the cost includes one more transfer.
constexpr u64 kPatience = 64;
// Cost of a region: kSteps for each cycle of waiting. If a result does not wait for a region, the region costs 1 for
// each kUnused cycles since its last use, but less than kSteps.
constexpr u64 kSteps = 16, kUnused = 4096;
constexpr u64 kImpossible = ~u64{0};

// Returns the cost of waiting for a region. For a result that does not wait, returns the cost of the time since the
// last use of the region.
u64 delay(VectorMemory::For what, Timeline::Region region, u64 transfer, const Timeline& timeline) {
  const u64 now = timeline.processor_free();
  if (what != VectorMemory::For::result) {
    const u64 loaded = timeline.loaded_at(region, transfer);
    return loaded > now ? (loaded - now) * kSteps : 0;
  }
  const u64 free = timeline.free_at(region);
  return free > now ? (free - now) * kSteps : std::min<u64>((now - free) / kUnused, kSteps - 1);
}

}  // namespace

u64 VectorMemory::transfer(u32 words) const noexcept {
  return rpu::job::transfer_cycles(machine_, words * sizeof(u128));
}

u64 VectorMemory::cost(Timeline::Region region, For what, const Job& job, const std::vector<u32>& pinned,
                       const Timeline& timeline) const {
  u64 sum = delay(what, region, transfer(region.words), timeline);
  for (const u32 v : values_in(region.first, region.words, job)) {
    const Value& value = job.values[v];
    if (std::find(pinned.begin(), pinned.end(), v) != pinned.end()) return kImpossible;
    if (value.next == kNever) continue;
    const u64 moved = transfer(value.words) * kSteps;
    sum += moved * kPatience / (value.next > job.now ? value.next - job.now : 1) + (job.is_saved(v) ? 0 : moved);
  }
  return sum;
}

u32 VectorMemory::find(u32 words, For what, const Job& job, const std::vector<u32>& pinned,
                       const Timeline& timeline) const {
  if (words > words_) return kNone;
  std::vector<u32> starts{0, words_ - words};
  for (const auto& [address, value] : values_) {
    const u32 end = address + job.values[value].words;
    starts.insert(starts.end(), {address, end});
    if (address >= words) starts.push_back(address - words);
    if (end >= words) starts.push_back(end - words);
  }
  std::sort(starts.begin(), starts.end());
  if (what == For::table) std::reverse(starts.begin(), starts.end());
  u64 least = kImpossible;
  u32 found = kNone;
  for (const u32 start : starts) {
    if (start + words > words_) continue;
    const u64 found_cost = cost({start, words}, what, job, pinned, timeline);
    if (found_cost < least) found = start;
    least = std::min(least, found_cost);
    if (least == 0) break;
  }
  return found;
}

}  // namespace ringfort::rpu_host
