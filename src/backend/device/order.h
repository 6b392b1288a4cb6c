// SPDX-License-Identifier: Apache-2.0
// Enforces the order rule of backend/backend.h. A call is work that the backend puts on one stream, with a list of the
// buffers that this work uses. Calls that use one buffer take effect in the order in which they were made. In the
// driver, only events order different streams.
//
// A call waits for the last writer of every buffer that it uses. It also waits for the readers of every buffer that it
// writes. It needs no event to wait for a call on its own stream, or for a call for which its stream or the host has
// already waited. An event is recorded only when another stream has to wait, or when has_ended() asks for a call whose
// end the host does not know. Therefore the order of a program on one stream needs no event (docs/notes/0023).
#pragma once

#include <mutex>
#include <span>

#include "backend/device/clock.h"

namespace ringfort::device {

// The calls that used one buffer. The mutex of Order guards it.
class History {
  friend class Order;
  Clock writes_{};  // the last call that wrote the buffer
  Clock reads_{};   // the last reader on each stream since the last writer
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

  // Makes the stream wait for all calls that must precede this call. Then runs submit(), which puts the work on the
  // stream and returns a Status. Holds the mutex meanwhile, so that no other call comes between.
  template <class Submit>
  Status call(u32 stream, std::span<const Touch> touches, Submit submit) noexcept {
    const std::lock_guard lock(mutex_);
    if (const Status status = wait_for(stream, touches); status != Status::ok) return status;
    const Status status = submit();
    note(stream, touches);  // also after a failure, because a part of the work may be on the stream
    return status;
  }

  // Returns when all calls of the stream have ended.
  Status synchronize(u32 stream) noexcept;

  // Sets `ended` to true if all calls on the buffer have ended; then its memory may be released. Never waits. If the
  // host does not know that a call has ended, records an event after it, so that a query can find its end.
  Status has_ended(const History& history, bool& ended) noexcept;

 private:
  struct Stream {
    u64 calls = 0;
    Clock known{};  // calls that end before the next call of the stream begins
    Event event{};  // the last event that was recorded on the stream
    Clock at_event{};
  };

  Status wait_for(u32 stream, std::span<const Touch> touches) noexcept;
  void note(u32 stream, std::span<const Touch> touches) noexcept;
  Status record(u32 stream) noexcept;
  Status event_behind(u32 stream, u64 call) noexcept;  // on success, streams_[stream].event is after that call

  Driver& driver_;
  std::mutex mutex_;
  std::array<Stream, kStreams> streams_{};
  Clock ended_{};  // calls whose end the host knows
};

}  // namespace ringfort::device
