// SPDX-License-Identifier: Apache-2.0
// Finds times for loads, stores and programs (timeline.h).
#include "backend/rpu/timeline.h"

namespace ringfort::rpu_host {

void Timeline::begin() noexcept {
  ++job_;
  memory_free_ = processor_free_ = 0;
  idle_.clear();
  waiting_.clear();
  stores_.clear();
}

template <class F>
void Timeline::each(Region region, F f) {
  for (u32 g = region.first / kGrain; g * kGrain < region.first + region.words; ++g) {
    if (grains_[g].job != job_) grains_[g] = {.job = job_};
    f(grains_[g]);
  }
}

u64 Timeline::free_at(Region region) const noexcept {
  u64 free = 0;
  for (u32 g = region.first / kGrain; g * kGrain < region.first + region.words; ++g) {
    if (grains_[g].job == job_) free = std::max(free, grains_[g].free);
  }
  u64 after = memory_free_;
  for (const Waiting& store : waiting_) {
    if (!store.region.meets(region)) continue;
    after = std::max(after, store.ready) + store.cycles;
    free = std::max(free, after);
  }
  return free;
}

std::size_t Timeline::fitting(u64 cycles, u64 not_before) const noexcept {
  const auto fits = [&](const Span& idle) { return std::max(idle.begin, not_before) + cycles <= idle.end; };
  return static_cast<std::size_t>(std::find_if(idle_.begin(), idle_.end(), fits) - idle_.begin());
}

u64 Timeline::loaded_at(Region region, u64 cycles) const noexcept {
  const u64 free = free_at(region);
  const std::size_t i = fitting(cycles, free);
  return std::max(i < idle_.size() ? idle_[i].begin : memory_free_, free) + cycles;
}

Timeline::Span Timeline::transfer(u64 cycles, u64 not_before) {
  if (const std::size_t i = fitting(cycles, not_before); i < idle_.size()) {
    const u64 begin = std::max(idle_[i].begin, not_before);
    const Span after{begin + cycles, idle_[i].end};
    idle_[i].end = begin;
    const auto at = idle_.begin() + static_cast<std::ptrdiff_t>(i);
    if (after.begin < after.end) idle_.insert(at + 1, after);
    if (idle_[i].begin == idle_[i].end) idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    return {begin, begin + cycles};
  }
  const u64 begin = std::max(memory_free_, not_before);
  if (begin > memory_free_) idle_.push_back({memory_free_, begin});
  if (idle_.size() > kMostIdle) idle_.erase(idle_.begin());
  memory_free_ = begin + cycles;
  return {begin, memory_free_};
}

void Timeline::happen(const Waiting& store) {
  const Span span = transfer(store.cycles, store.ready);
  each(store.region, [&](Grain& grain) { grain.free = std::max(grain.free, span.end); });
  stores_[store.number] = span;
}

template <class F>
void Timeline::happen_where(F condition) {
  std::size_t kept = 0;
  for (const Waiting& store : waiting_) {
    if (condition(store)) happen(store);
    else waiting_[kept++] = store;
  }
  waiting_.resize(kept);
}

void Timeline::drain() {
  happen_where([](const Waiting&) { return true; });
}

u64 Timeline::stored(u32 number) {
  happen_where([number](const Waiting& store) { return store.number == number; });
  return stores_[number].end;
}

Timeline::Span Timeline::load(Region region, u64 cycles, u64 not_before) {
  happen_where([&](const Waiting& store) { return store.region.meets(region); });
  const u64 earliest = std::max(free_at(region), not_before);
  if (fitting(cycles, earliest) == idle_.size()) {
    happen_where([&](const Waiting& store) { return std::max(memory_free_, store.ready) + store.cycles <= earliest; });
  }
  const Span span = transfer(cycles, earliest);
  each(region, [&](Grain& grain) { grain.ready = grain.free = span.end; });
  return span;
}

u32 Timeline::store(Region region, u64 cycles, u64 not_before) {
  u64 ready = not_before;
  each(region, [&](Grain& grain) { ready = std::max(ready, grain.ready); });
  const auto number = static_cast<u32>(stores_.size());
  stores_.push_back({});
  waiting_.push_back({region, cycles, ready, number});
  return number;
}

Timeline::Span Timeline::stream(u64 cycles) {
  const u64 begin = end();
  idle_.clear();
  memory_free_ = begin + cycles;
  return {begin, memory_free_};
}

Timeline::Span Timeline::run_kernel(std::span<const Use> uses, u64 cycles, u64 code_ready) {
  u64 start = std::max(processor_free_, code_ready);
  for (const Use& use : uses) {
    if (use.written) happen_where([&](const Waiting& store) { return store.region.meets(use.region); });
    each(use.region, [&](Grain& grain) { start = std::max({start, grain.ready, use.written ? grain.free : 0}); });
  }
  processor_free_ = start + cycles;
  for (const Use& use : uses) {
    each(use.region, [&](Grain& grain) {
      grain.free = std::max(grain.free, processor_free_);
      if (use.written) grain.ready = processor_free_;
    });
  }
  return {start, processor_free_};
}

}  // namespace ringfort::rpu_host
