// SPDX-License-Identifier: Apache-2.0
// The backend of GPUs (backend.h). It implements the interface Backend with a pool of memory (pool.h), an order of
// calls (order.h) and a driver (driver.h).
#include "backend/device/backend.h"

#include <atomic>
#include <cstdlib>

#include "backend/device/arithmetic.h"
#include "backend/device/verbs.h"
#include "base/clock.h"

namespace ringfort::device {

namespace {

class Gpu final : public Backend {
 public:
  Gpu(std::shared_ptr<Pool> pool, const TransformChoice& choice)
      : pool_(std::move(pool)),
        choice_(choice),
        name_(pool_->driver().facts().name),
        tickets_(pool_) {
    if (choice.is_of_all() && name_.find(",ntt=") == std::string::npos)
      name_.append(",ntt=").append(choice.variant.schedule->name).append("/").append(choice.variant.reduction->name);
    if (choice.times != nullptr && name_.find(",times=") == std::string::npos)
      name_.append(",times=").append(choice.times->path());
  }

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    const char* const plans =
        !choice_.is_of_all() ? "words of 128 bits need the device cpu"
                             : "its option ntt needs primes at least two bits shorter than a word (dhem: four bits; "
                               "montgomery and shoup: one bit), n in the range of its schedule, and a library that "
                               "is built with RINGFORT_PROBES=ON; words of 128 bits need the device cpu";
    return {.wants_batches = true, .instruction_set = {}, .plans = plans, .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    try {
      auto prepared = std::make_shared<GpuPlan>(plan, pool_, choice_);
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
    if (wipe) (void)synchronize({});  // waits until the secret is wiped; perhaps no later call would wait
    pool_->release(mine, !is_clean);
  }
  MemoryUse memory() const noexcept override { return pool_->is_forked() ? MemoryUse{} : pool_->use(); }

  bool fuses(const Verb& verb) const noexcept override { return is_computed(verb, choice_.is_of_all()); }
  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    for (std::size_t i = 0; i < verbs.size(); ++i) {
      const bool joined = !choice_.is_of_all() && i + 1 < verbs.size() && are_inverse_of_copy(verbs[i], verbs[i + 1]);
      const Verb& verb = verbs[joined ? i + 1 : i];
      const Caller caller{*pool_, tickets_, stream_of(s), s.index, listener_, ringfort::name_of(verb)};
      const Status status = joined ? submit_inverse(caller, std::get<verb::Copy>(verbs[i])) : submit(caller, verb);
      if (status != Status::ok) return status;
      if (joined && !ends.empty()) ends[i] = mark(s);
      if (joined) ++i;
      if (!ends.empty()) ends[i] = mark(s);
      if (!waits_for_verbs_) continue;
      if (const Status waited = synchronize(s); waited != Status::ok) return waited;
    }
    return Status::ok;
  }
  Status synchronize(Stream s) noexcept override {
    if (pool_->is_forked()) return Status::device_lost;
    const Status status = pool_->order().synchronize(stream_of(s));
    if (status != Status::ok) return status;
    pool_->wipe_uploaded();
    tickets_.renew_base();
    return Status::ok;
  }

  std::string failure() const override {
    return pool_->is_forked() ? "this process was forked after the device was opened" : pool_->driver().error();
  }

  Ticket mark(Stream s) noexcept override {
    return pool_->is_forked() ? Ticket{.us = steady_us()} : tickets_.mark(stream_of(s));
  }
  void resolve(Ticket& ticket) noexcept override { tickets_.resolve(ticket); }
  void report_launches(const LaunchListener* listener) noexcept override { listener_ = listener; }

 private:
  // Callers may have any number of streams. Several of them share a stream of the driver.
  static u32 stream_of(Stream s) noexcept { return s.index % kStreams; }

  Status zero(Buffer& buffer) noexcept {
    const Touch written[] = {{&buffer.history, true}};
    return pool_->order().call(0, written, [&] { return pool_->driver().zero(0, buffer.address, buffer.bytes); });
  }

  // With RINGFORT_SYNC=1, waits after every verb. Then the verb that fails reports the failure itself.
  static bool environment_waits() noexcept {
    const char* const wanted = std::getenv("RINGFORT_SYNC");
    return wanted != nullptr && std::string_view(wanted) == "1";
  }

  std::shared_ptr<Pool> pool_;
  const TransformChoice choice_;
  std::string name_;  // includes the options ntt and times
  const bool waits_for_verbs_ = environment_waits();
  Tickets tickets_;
  std::atomic<const LaunchListener*> listener_ = nullptr;
};

}  // namespace

std::shared_ptr<Backend> make(std::unique_ptr<Driver> driver, const TransformChoice& choice) noexcept {
  try {
    const auto end = [](Pool* pool) {
      if (!pool->is_forked()) delete pool;
    };
    return std::make_shared<Gpu>(std::shared_ptr<Pool>(new Pool(std::move(driver)), end), choice);
  } catch (const std::bad_alloc&) { return nullptr; }
}

}  // namespace ringfort::device
