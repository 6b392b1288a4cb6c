// SPDX-License-Identifier: Apache-2.0
// Streams that run late: work waits until the host needs it, and then runs in an order that the seed chooses among
// those that streams and events allow. Vector clocks hold what must precede each piece of work.
#pragma once

#include <deque>
#include <functional>
#include <random>

#include "backend/device/clock.h"

namespace ringfort::emu {

class Streams {
 public:
  explicit Streams(u64 seed) : random_(seed) {}

  // Returns the clock of the stream's next work: what precedes it, and itself.
  [[nodiscard]] device::Clock next(u32 stream) const noexcept;
  // Returns the clock of its last work, and of what that waits for.
  [[nodiscard]] const device::Clock& last(u32 stream) const noexcept { return submitted_[stream]; }
  // Throws std::bad_alloc and then has done nothing. `run` throws nothing.
  void push(u32 stream, std::function<void()> run);
  // Later work of the stream runs after what the clock counts.
  void wait(u32 stream, const device::Clock& until) noexcept { device::join(submitted_[stream], until); }

  [[nodiscard]] bool has_run(const device::Clock& until) const noexcept { return device::precedes(until, run_); }
  // Runs what the clock counts, and nothing else.
  void run_until(const device::Clock& until) noexcept;
  // Runs one piece of work that the clock counts, or none: a question about an event need not find it ended.
  void step_towards(const device::Clock& until) noexcept;
  [[nodiscard]] bool decides() noexcept { return random_() % 2 == 0; }

  // Returns the clock of the work that the host has seen end. This work precedes all later work.
  [[nodiscard]] const device::Clock& seen() const noexcept { return seen_; }
  void see(const device::Clock& until) noexcept { device::join(seen_, until); }

 private:
  struct Work {
    device::Clock before;
    std::function<void()> run;
  };
  // Runs one piece, if the clock counts any that has not run.
  bool run_one(const device::Clock& until) noexcept;
  [[nodiscard]] bool is_ready(u32 stream, const device::Clock& until) const noexcept;

  std::mt19937_64 random_;
  std::array<std::deque<Work>, device::kStreams> waiting_;
  std::array<device::Clock, device::kStreams> submitted_{};  // of each stream's last work
  device::Clock run_{}, seen_{};
  std::size_t waiting_count_ = 0;
};

}  // namespace ringfort::emu
