// SPDX-License-Identifier: Apache-2.0
// Streams that run late. Work waits until the host needs its result or queries an event, or until the queue is full.
// Then it runs in one of the orders that streams and events allow. A seed chooses the order. Each piece of work has a
// vector clock, which states the work that must run before it.
#pragma once

#include <deque>
#include <functional>
#include <random>

#include "backend/device/clock.h"

namespace ringfort::emu {

class Streams {
 public:
  explicit Streams(u64 seed) : random_(seed) {}

  // Returns the clock of the next work of the stream. This clock includes the next work itself.
  [[nodiscard]] device::Clock next(u32 stream) const noexcept;
  // Returns the clock of the last work of the stream, joined with the events for which the stream waits.
  [[nodiscard]] const device::Clock& last(u32 stream) const noexcept { return submitted_[stream]; }
  // Adds work. If it throws std::bad_alloc, it has no effect. `run` must not throw.
  void push(u32 stream, std::function<void()> run);
  // Makes later work of the stream wait until all work that the clock includes has run.
  void wait(u32 stream, const device::Clock& until) noexcept { device::join(submitted_[stream], until); }

  [[nodiscard]] bool has_run(const device::Clock& until) const noexcept { return device::precedes(until, run_); }
  // Runs all work that the clock includes, and no other work.
  void run_until(const device::Clock& until) noexcept;
  // Runs at most one piece of work that the clock includes. A query of an event uses this function, so that the event
  // may remain pending.
  void step_towards(const device::Clock& until) noexcept;
  [[nodiscard]] bool decides() noexcept { return random_() % 2 == 0; }

  // Returns the clock of the work for which the host has waited. This work precedes all later work.
  [[nodiscard]] const device::Clock& seen() const noexcept { return seen_; }
  void see(const device::Clock& until) noexcept { device::join(seen_, until); }

 private:
  struct Work {
    device::Clock before;
    std::function<void()> run;
  };
  // Runs one waiting piece of work that the clock includes. Returns false if there is none.
  bool run_one(const device::Clock& until) noexcept;
  [[nodiscard]] bool is_ready(u32 stream, const device::Clock& until) const noexcept;

  std::mt19937_64 random_;
  std::array<std::deque<Work>, device::kStreams> waiting_;
  std::array<device::Clock, device::kStreams> submitted_{};  // clock of the last work of each stream
  device::Clock run_{}, seen_{};
  std::size_t waiting_count_ = 0;
};

}  // namespace ringfort::emu
