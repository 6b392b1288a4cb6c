// SPDX-License-Identifier: Apache-2.0
// Streams that run late: work waits until the host needs it. Then it runs in an order that the seed chooses among the
// orders that streams and events allow. A vector clock counts the work that must precede each piece of work.
#pragma once

#include <deque>
#include <functional>
#include <random>

#include "backend/device/clock.h"

namespace ringfort::emu {

class Streams {
 public:
  explicit Streams(u64 seed) : random_(seed) {}

  // Returns the clock of the stream's next work. It counts this work and all that precedes it.
  [[nodiscard]] device::Clock next(u32 stream) const noexcept;
  // Returns the clock of the stream's last work, with the events that the stream waits for.
  [[nodiscard]] const device::Clock& last(u32 stream) const noexcept { return submitted_[stream]; }
  // Adds work. Throws std::bad_alloc without an effect. `run` must not throw.
  void push(u32 stream, std::function<void()> run);
  // Delays later work of the stream until all work that the clock counts has run.
  void wait(u32 stream, const device::Clock& until) noexcept { device::join(submitted_[stream], until); }

  [[nodiscard]] bool has_run(const device::Clock& until) const noexcept { return device::precedes(until, run_); }
  // Runs the work that the clock counts, and no other work.
  void run_until(const device::Clock& until) noexcept;
  // Runs at most one piece of work that the clock counts, so that an event may still be open when the host asks for it.
  void step_towards(const device::Clock& until) noexcept;
  [[nodiscard]] bool decides() noexcept { return random_() % 2 == 0; }

  // Returns the clock of the work whose end the host has seen. It precedes all later work.
  [[nodiscard]] const device::Clock& seen() const noexcept { return seen_; }
  void see(const device::Clock& until) noexcept { device::join(seen_, until); }

 private:
  struct Work {
    device::Clock before;
    std::function<void()> run;
  };
  // Runs one waiting piece of work that the clock counts. Returns false if there is none.
  bool run_one(const device::Clock& until) noexcept;
  [[nodiscard]] bool is_ready(u32 stream, const device::Clock& until) const noexcept;

  std::mt19937_64 random_;
  std::array<std::deque<Work>, device::kStreams> waiting_;
  std::array<device::Clock, device::kStreams> submitted_{};  // clock of each stream's last work
  device::Clock run_{}, seen_{};
  std::size_t waiting_count_ = 0;
};

}  // namespace ringfort::emu
