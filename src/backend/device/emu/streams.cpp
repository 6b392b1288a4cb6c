// SPDX-License-Identifier: Apache-2.0
// Runs the waiting work of emulated streams in an order that the seed chooses (streams.h).
#include "backend/device/emu/streams.h"

namespace ringfort::emu {

namespace {

constexpr std::size_t kMostWaiting = 1024;  // pieces of waiting work; the queue of a real device is also limited

}  // namespace

device::Clock Streams::next(u32 stream) const noexcept {
  device::Clock clock = submitted_[stream];
  device::join(clock, seen_);
  ++clock[stream];
  return clock;
}

void Streams::push(u32 stream, std::function<void()> run) {
  const device::Clock clock = next(stream);
  waiting_[stream].push_back({clock, std::move(run)});
  submitted_[stream] = clock;
  if (++waiting_count_ <= kMostWaiting) return;
  device::Clock all{};
  for (const device::Clock& each : submitted_) device::join(all, each);
  run_one(all);
}

bool Streams::is_ready(u32 stream, const device::Clock& until) const noexcept {
  if (waiting_[stream].empty() || run_[stream] >= until[stream]) return false;
  const device::Clock& before = waiting_[stream].front().before;
  for (u32 other = 0; other < device::kStreams; ++other) {
    if (other != stream && before[other] > run_[other]) return false;
  }
  return true;
}

bool Streams::run_one(const device::Clock& until) noexcept {
  std::array<u32, device::kStreams> ready;
  u32 count = 0;
  for (u32 stream = 0; stream < device::kStreams; ++stream) {
    if (is_ready(stream, until)) ready[count++] = stream;
  }
  if (count == 0) return false;
  const u32 chosen = ready[random_() % count];
  const std::function<void()> run = std::move(waiting_[chosen].front().run);
  waiting_[chosen].pop_front();
  --waiting_count_;
  run();
  ++run_[chosen];
  return true;
}

void Streams::run_until(const device::Clock& until) noexcept {
  while (run_one(until)) {}
}

void Streams::step_towards(const device::Clock& until) noexcept {
  if (decides()) run_one(until);
}

}  // namespace ringfort::emu
