// SPDX-License-Identifier: Apache-2.0
// Points in time on streams (backend/backend.h). A time is counted from a base: an event whose time the host knows.
// Drivers state intervals with a limited precision (CUDA: a float of milliseconds, which after an hour resolves 0.25
// ms), so when the base is older than kMostUs, a later event replaces it.
#pragma once

#include "backend/device/pool.h"

namespace ringfort::device {

class Tickets {
 public:
  static constexpr double kMostUs = 1e6;  // a float of milliseconds then resolves 0.06 us

  explicit Tickets(std::shared_ptr<Pool> pool) noexcept;
  // Takes a ticket. Never blocks.
  [[nodiscard]] Ticket mark(u32 stream) noexcept;
  // Sets the ticket's time. Waits for its event.
  void resolve(Ticket& ticket) noexcept;
  // Chooses another base if tickets were taken and the base is old; blocks shortly. Call it after a synchronization.
  void renew_base() noexcept;

 private:
  struct Moment;
  struct Base;
  void choose_base(const std::shared_ptr<const Base>& before) noexcept;

  std::shared_ptr<Pool> pool_;
  std::mutex mutex_;
  std::shared_ptr<const Base> base_;  // nullptr: the driver has no events
  bool is_used_ = false;              // there are tickets of this base
};

}  // namespace ringfort::device
