// SPDX-License-Identifier: Apache-2.0
#include "backend/rpu/timeline.h"

namespace ringfort::rpu_host {

void Timeline::begin() noexcept {
  ++verb_;
  memory_free_ = processor_free_ = 0;
  waiting_ = false;
}

Timeline::Place& Timeline::at(u32 place) noexcept {
  Place& found = places_[place / kGrain];
  if (found.verb != verb_) found = {0, 0, verb_};
  return found;
}

void Timeline::load(u32 place, u64 cycles) noexcept {
  if (waiting_ && waiting_place_ == place) flush();
  Place& to = at(place);
  to.ready = memory_free_ = std::max(memory_free_, to.free) + cycles;
  to.free = to.ready;
  flush();
}

void Timeline::store(u32 place, u64 cycles) noexcept {
  flush();
  waiting_ = true;
  waiting_place_ = place;
  waiting_cycles_ = cycles;
}

void Timeline::flush() noexcept {
  if (!waiting_) return;
  waiting_ = false;
  Place& from = at(waiting_place_);
  memory_free_ = std::max(memory_free_, from.ready) + waiting_cycles_;
  from.free = std::max(from.free, memory_free_);
}

void Timeline::run(const Use* uses, std::size_t count, u64 cycles, u64 code_ready) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting_ && uses[i].written && uses[i].place == waiting_place_) flush();
  }
  u64 start = std::max(processor_free_, code_ready);
  for (std::size_t i = 0; i < count; ++i) {
    const Place& place = at(uses[i].place);
    start = std::max({start, place.ready, uses[i].written ? place.free : 0});
  }
  processor_free_ = start + cycles;
  for (std::size_t i = 0; i < count; ++i) {
    Place& place = at(uses[i].place);
    place.free = std::max(place.free, processor_free_);
    if (uses[i].written) place.ready = processor_free_;
  }
}

u64 Timeline::end() noexcept {
  flush();
  return std::max(memory_free_, processor_free_);
}

}  // namespace ringfort::rpu_host
