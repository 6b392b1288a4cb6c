// SPDX-License-Identifier: Apache-2.0
// Points in time on streams (Ticket in backend/backend.h). A time is counted from a base. A base is an event whose time
// the host knows. Drivers give intervals with a limited precision. For example, CUDA gives a float of milliseconds,
// which resolves 0.25 ms after an hour. Therefore a later event replaces a base that is older than kMostUs.
#pragma once

#include "backend/device/pool.h"

namespace ringfort::device {

class Tickets {
 public:
  static constexpr double kMostUs = 1e6;  // a float of milliseconds then resolves 0.06 us

  explicit Tickets(std::shared_ptr<Pool> pool) noexcept;
  // Returns a ticket for the end of all earlier work of the stream. Never blocks.
  [[nodiscard]] Ticket mark(u32 stream) noexcept;
  // Sets the time of the ticket. Waits for its event.
  void resolve(Ticket& ticket) noexcept;
  // Chooses another base if the base is old and has tickets. Blocks for a short time. Call it after a synchronization.
  void renew_base() noexcept;

 private:
  struct Moment;
  struct Base;
  void choose_base(const std::shared_ptr<const Base>& before) noexcept;

  std::shared_ptr<Pool> pool_;
  std::mutex mutex_;
  std::shared_ptr<const Base> base_;  // nullptr: the driver has no events
  bool is_used_ = false;              // true if tickets of this base exist
};

}  // namespace ringfort::device
