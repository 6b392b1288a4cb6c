// SPDX-License-Identifier: Apache-2.0
// Events and vector clocks that order the calls on a device (order.h).
#include "backend/device/order.h"

namespace ringfort::device {

Order::~Order() {
  for (Stream& each : streams_) driver_.forget(each.event);
}

Status Order::record(u32 stream) noexcept {
  Stream& s = streams_[stream];
  Event event;
  if (const Status status = driver_.record(stream, event); status != Status::ok) return status;
  driver_.forget(s.event);
  s.event = event;
  s.at_event = s.known;
  s.at_event[stream] = s.calls;
  return Status::ok;
}

Status Order::event_behind(u32 stream, u64 call) noexcept {
  return streams_[stream].at_event[stream] >= call ? Status::ok : record(stream);
}

Status Order::wait_for(u32 stream, std::span<const Touch> touches) noexcept {
  Clock needed{};
  for (const Touch& touch : touches) {
    join(needed, touch.history->writes_);
    if (touch.is_written) join(needed, touch.history->reads_);
  }
  Clock& known = streams_[stream].known;
  for (u32 other = 0; other < kStreams; ++other) {
    if (other == stream || needed[other] <= std::max(known[other], ended_[other])) continue;
    if (const Status status = event_behind(other, needed[other]); status != Status::ok) return status;
    if (const Status status = driver_.wait(stream, streams_[other].event); status != Status::ok) return status;
    join(known, streams_[other].at_event);
  }
  return Status::ok;
}

void Order::note(u32 stream, std::span<const Touch> touches) noexcept {
  const u64 call = ++streams_[stream].calls;
  for (const Touch& touch : touches) {
    if (!touch.is_written) {
      touch.history->reads_[stream] = call;
      continue;
    }
    touch.history->writes_ = {};
    touch.history->writes_[stream] = call;
    touch.history->reads_ = {};
  }
}

Status Order::synchronize(u32 stream) noexcept {
  Clock submitted;
  {
    const std::lock_guard lock(mutex_);
    submitted = streams_[stream].known;
    submitted[stream] = streams_[stream].calls;
  }
  // Waits without the mutex, so that other streams can continue.
  if (const Status status = driver_.finish(stream); status != Status::ok) return status;
  const std::lock_guard lock(mutex_);
  join(ended_, submitted);
  return Status::ok;
}

Status Order::has_ended(const History& history, bool& ended) noexcept {
  const std::lock_guard lock(mutex_);
  Clock needed = history.writes_;
  join(needed, history.reads_);
  ended = true;
  for (u32 s = 0; s < kStreams; ++s) {
    if (needed[s] <= ended_[s]) continue;
    if (const Status status = event_behind(s, needed[s]); status != Status::ok) return status;
    bool has_ended = false;
    if (const Status status = driver_.query(streams_[s].event, has_ended); status != Status::ok) return status;
    if (has_ended) join(ended_, streams_[s].at_event);
    else ended = false;
  }
  return Status::ok;
}

}  // namespace ringfort::device
