// SPDX-License-Identifier: Apache-2.0
// The waist's rule of order (backend/backend.h) on a driver whose streams only events order: calls that touch one
// buffer take effect in the order in which they were made.
//
// A call waits for the last writer of the buffers that it reads, and also for the readers of those that it writes.
// Calls of its own stream, and calls that its stream or the host has already waited for, need no event. Events are
// recorded late, when another stream has to wait, not behind every call: a program on one stream records none
// (docs/notes/0023).
#pragma once

#include <mutex>
#include <span>

#include "backend/device/clock.h"

namespace ringfort::device {

// Calls that touched one buffer. Guarded by the lock of the Order.
class History {
  friend class Order;
  Clock writes_{};  // the last call that wrote
  Clock reads_{};   // the last reader on each stream since then
};

struct Touch {
  History* history = nullptr;
  bool is_written = false;
};

class Order {
 public:
  explicit Order(Driver& driver) noexcept : driver_(driver) {}
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;
  ~Order();

  // Makes the stream wait for the calls that must precede this one, then makes it: submit() puts its work on the stream
  // and returns a Status. One lock is held, so that no other call comes between.
  template <class Submit>
  Status call(u32 stream, std::span<const Touch> touches, Submit submit) noexcept {
    const std::lock_guard lock(mutex_);
    if (const Status status = wait_for(stream, touches); status != Status::ok) return status;
    const Status status = submit();
    note(stream, touches);  // even if it failed: a part of its work may be on the stream
    return status;
  }

  // Returns when all calls of the stream have ended.
  Status synchronize(u32 stream) noexcept;

  // Tells whether all calls on the buffer have ended, so that its memory may be released. Never blocks. Records events
  // behind the calls, so that repeated questions get to true.
  Status has_ended(const History& history, bool& ended) noexcept;

 private:
  struct Stream {
    u64 calls = 0;
    Clock known{};  // precedes its next call
    Event event{};  // the last one recorded on it
    Clock at_event{};
  };

  Status wait_for(u32 stream, std::span<const Touch> touches) noexcept;
  void note(u32 stream, std::span<const Touch> touches) noexcept;
  Status record(u32 stream) noexcept;
  Status event_behind(u32 stream, u64 call) noexcept;  // then streams_[stream].event ends after that call

  Driver& driver_;
  std::mutex mutex_;
  std::array<Stream, kStreams> streams_{};
  Clock ended_{};  // as far as the host knows
};

}  // namespace ringfort::device
