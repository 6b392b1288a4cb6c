// SPDX-License-Identifier: Apache-2.0
#include "backend/device/backend.h"

#include <cstdlib>

#include "backend/device/arithmetic.h"
#include "backend/device/verbs.h"
#include "base/clock.h"

namespace ringfort::device {

namespace {

class Gpu final : public Backend {
 public:
  explicit Gpu(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {
    Driver& driver = pool_->driver();
    if (driver.record(0, opened_) == Status::ok && driver.synchronize(opened_) == Status::ok) opened_us_ = steady_us();
  }
  ~Gpu() override {
    if (!pool_->is_forked()) pool_->driver().forget(opened_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  std::string_view name() const noexcept override { return pool_->driver().facts().name; }
  Capabilities capabilities() const noexcept override {
    return {
        .wants_batches = true, .instruction_set = {}, .plans = "words of 128 bits need the device cpu", .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    try {
      auto prepared = std::make_shared<DevicePlan>(plan, pool_);
      if (const Status status = prepared->prepare(); status != Status::ok) return status;
      out = std::move(prepared);
      return Status::ok;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    out = nullptr;
    if (pool_->is_forked()) return Status::device_lost;
    Buffer* buffer = nullptr;
    if (const Status status = pool_->allocate(bytes, privacy, buffer); status != Status::ok) return status;
    if (contents == Contents::zeroed) {
      if (const Status status = zero(*buffer); status != Status::ok) {
        pool_->release(buffer);
        return status;
      }
    }
    out = buffer;
    return Status::ok;
  }
  void release(DeviceBuffer* buffer, bool wipe) noexcept override {
    if (buffer == nullptr || pool_->is_forked()) return;
    auto* const mine = static_cast<Buffer*>(buffer);
    const bool is_clean = !wipe || zero(*mine) == Status::ok;
    if (wipe) (void)synchronize({});  // because there may be no later work that would wipe the secret
    pool_->release(mine, !is_clean);
  }
  MemoryUse memory() const noexcept override { return pool_->is_forked() ? MemoryUse{} : pool_->use(); }

  bool fuses(const Verb& verb) const noexcept override { return is_computed(verb); }
  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    for (std::size_t i = 0; i < verbs.size(); ++i) {
      if (const Status status = submit(*pool_, stream_of(s), verbs[i]); status != Status::ok) return status;
      if (!ends.empty()) ends[i] = mark(s);
      if (!waits_for_verbs_) continue;
      if (const Status status = synchronize(s); status != Status::ok) return status;
    }
    return Status::ok;
  }
  Status synchronize(Stream s) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    const Status status = pool_->order().synchronize(stream_of(s));
    if (status == Status::ok) pool_->wipe_uploaded();
    return status;
  }

  std::string failure() const override {
    return pool_->is_forked() ? "this process was forked after the device was opened" : pool_->driver().error();
  }

  Ticket mark(Stream s) noexcept override {
    Ticket ticket{.us = steady_us()};
    Event event;
    if (pool_->is_forked() || pool_->driver().record(stream_of(s), event) != Status::ok) return ticket;
    try {
      ticket.held = {nullptr, [pool = pool_, event](const void*) {
                       if (!pool->is_forked()) pool->driver().forget(event);
                     }};
      ticket.event = event.id;
    } catch (const std::bad_alloc&) {  // the constructor has called the deleter
    }
    return ticket;
  }
  // Times of events count from the opening of the device.
  void resolve(Ticket& ticket) noexcept override {
    if (ticket.event == 0 || pool_->is_forked()) return;
    const Event event{ticket.event};
    double us = 0;
    const bool known = opened_us_ != 0 && pool_->driver().synchronize(event) == Status::ok &&
                       pool_->driver().elapsed(opened_, event, us) == Status::ok;
    if (known) ticket.us = opened_us_ + us;
    ticket.event = 0;
    ticket.held.reset();
  }

 private:
  // Callers may have any number of streams; they share the driver's streams.
  static u32 stream_of(Stream s) noexcept { return s.index % kStreams; }

  Status zero(Buffer& buffer) noexcept {
    const Touch written[] = {{&buffer.history, true}};
    return pool_->order().call(0, written, [&] { return pool_->driver().zero(0, buffer.address, buffer.bytes); });
  }

  // RINGFORT_SYNC=1: wait after every verb, so that the verb that fails also reports it.
  static bool environment_waits() noexcept {
    const char* const wanted = std::getenv("RINGFORT_SYNC");
    return wanted != nullptr && std::string_view(wanted) == "1";
  }

  std::shared_ptr<Pool> pool_;
  const bool waits_for_verbs_ = environment_waits();
  Event opened_;
  double opened_us_ = 0;
};

}  // namespace

std::shared_ptr<Backend> make(std::unique_ptr<Driver> driver) noexcept {
  try {
    const auto end = [](Pool* pool) {
      if (!pool->is_forked()) delete pool;
    };
    return std::make_shared<Gpu>(std::shared_ptr<Pool>(new Pool(std::move(driver)), end));
  } catch (const std::bad_alloc&) { return nullptr; }
}

}  // namespace ringfort::device
