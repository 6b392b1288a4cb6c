// SPDX-License-Identifier: Apache-2.0
// Takes and resolves tickets, and replaces their base when it is old (tickets.h).
#include "backend/device/tickets.h"

#include "base/clock.h"

namespace ringfort::device {

struct Tickets::Base {
  std::shared_ptr<Pool> pool;
  Event event;
  double us = 0;  // time of the steady clock

  Base(std::shared_ptr<Pool> of, Event at, double at_us) noexcept : pool(std::move(of)), event(at), us(at_us) {}
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  ~Base() {
    if (!pool->is_forked()) pool->driver().forget(event);
  }
};

struct Tickets::Moment {
  std::shared_ptr<const Base> base;
  Event event;

  Moment(std::shared_ptr<const Base> of, Event at) noexcept : base(std::move(of)), event(at) {}
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  ~Moment() {
    if (!base->pool->is_forked()) base->pool->driver().forget(event);
  }
};

Tickets::Tickets(std::shared_ptr<Pool> pool) noexcept : pool_(std::move(pool)) {
  Driver& driver = pool_->driver();
  Event event;
  if (driver.record(0, event) != Status::ok) return;
  try {
    if (driver.synchronize(event) == Status::ok) base_ = std::make_shared<const Base>(pool_, event, steady_us());
  } catch (const std::bad_alloc&) {  // without memory, a ticket has the time of its call
  }
  if (base_ == nullptr) driver.forget(event);
}

Ticket Tickets::mark(u32 stream) noexcept {
  Ticket ticket{.us = steady_us()};
  const std::lock_guard lock(mutex_);
  Event event;
  if (base_ == nullptr || pool_->driver().record(stream, event) != Status::ok) return ticket;
  try {
    ticket.event_data = std::make_shared<const Moment>(base_, event);
    ticket.event = event.id;
    is_used_ = true;
  } catch (const std::bad_alloc&) { pool_->driver().forget(event); }
  return ticket;
}

void Tickets::resolve(Ticket& ticket) noexcept {
  if (ticket.event == 0 || pool_->is_forked()) return;
  const Moment& moment = *static_cast<const Moment*>(ticket.event_data.get());
  const std::shared_ptr<const Base> base = moment.base;
  double us = 0;
  const bool known = pool_->driver().synchronize(moment.event) == Status::ok &&
                     pool_->driver().elapsed(base->event, moment.event, us) == Status::ok;
  if (known) ticket.us = base->us + us;
  ticket.event = 0;
  ticket.event_data.reset();
  if (known && us > kMostUs) choose_base(base);
}

void Tickets::renew_base() noexcept {
  std::shared_ptr<const Base> base;
  {
    const std::lock_guard lock(mutex_);
    if (is_used_ && steady_us() - base_->us > kMostUs) base = base_;
  }
  if (base != nullptr) choose_base(base);
}

// Chooses a new base. The driver, not the host, gives its time. Therefore earlier and later times have one clock.
void Tickets::choose_base(const std::shared_ptr<const Base>& before) noexcept {
  const std::lock_guard lock(mutex_);
  if (base_ != before) return;  // another thread has already chosen a base
  Driver& driver = pool_->driver();
  Event event;
  double us = 0;
  if (driver.record(0, event) != Status::ok) return;
  try {
    if (driver.synchronize(event) == Status::ok && driver.elapsed(before->event, event, us) == Status::ok) {
      base_ = std::make_shared<const Base>(pool_, event, before->us + us);
      is_used_ = false;
      return;
    }
  } catch (const std::bad_alloc&) {  // without memory, the old base remains
  }
  driver.forget(event);
}

}  // namespace ringfort::device
