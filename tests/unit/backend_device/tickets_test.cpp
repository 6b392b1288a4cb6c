// SPDX-License-Identifier: Apache-2.0
// Tests the times of tickets (points in time on a stream). The time of a ticket is an interval from a base event, which
// a later event replaces after a second. The test driver states intervals as CUDA does: as a float, in milliseconds.
#include <map>

#include "machine.h"

namespace ringfort::testing {
namespace {

using device::Address;
using device::Event;

// An emulated device whose clock the test sets.
class FloatClock final : public device::Driver {
 public:
  explicit FloatClock(double& us) : us_(us), driver_(emu::open(0, emu::find_kernel, {})) {}
  const device::Facts& facts() const noexcept override { return driver_->facts(); }
  std::string error() const override { return driver_->error(); }
  Status allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept override {
    return driver_->allocate(bytes, privacy, out);
  }
  Status release(Address memory) noexcept override { return driver_->release(memory); }
  MemoryUse memory() const noexcept override { return driver_->memory(); }
  Status allocate_host(std::size_t bytes, std::byte*& out) noexcept override {
    return driver_->allocate_host(bytes, out);
  }
  Status release_host(std::byte* memory) noexcept override { return driver_->release_host(memory); }
  Status load(std::string_view kernel, device::Kernel& out) noexcept override { return driver_->load(kernel, out); }
  Status launch(u32 stream, const device::KernelCall& call) noexcept override { return driver_->launch(stream, call); }
  Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept override {
    return driver_->copy_in(stream, to, from, bytes);
  }
  Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept override {
    return driver_->copy_out(stream, to, from, bytes);
  }
  Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept override {
    return driver_->copy(stream, to, from, bytes);
  }
  Status zero(u32 stream, Address to, std::size_t bytes) noexcept override { return driver_->zero(stream, to, bytes); }
  Status record(u32 stream, Event& out) noexcept override {
    const Status status = driver_->record(stream, out);
    times_[out.id] = us_;
    return status;
  }
  Status wait(u32 stream, Event event) noexcept override { return driver_->wait(stream, event); }
  Status query(Event event, bool& has_ended) noexcept override { return driver_->query(event, has_ended); }
  Status synchronize(Event event) noexcept override { return driver_->synchronize(event); }
  Status finish(u32 stream) noexcept override { return driver_->finish(stream); }
  Status elapsed(Event begin, Event end, double& us) noexcept override {
    us = 1e3 * double{static_cast<float>((times_[end.id] - times_[begin.id]) / 1e3)};
    return driver_->synchronize(end);
  }
  void forget(Event event) noexcept override { driver_->forget(event); }

 private:
  double& us_;
  std::unique_ptr<device::Driver> driver_;
  std::map<u64, double> times_;
};

// Three hours after a device was opened, a float of milliseconds has a resolution of 1 ms.
TEST(DeviceTickets, ResolveMicrosecondsAfterHours) {
  double now = 0;
  const auto backend = device::make(std::make_unique<FloatClock>(now));
  const auto interval = [&] {
    Ticket begin = backend->mark({});
    now += 5;
    Ticket end = backend->mark({});
    backend->resolve(begin);
    backend->resolve(end);
    return end.us - begin.us;
  };
  EXPECT_NEAR(interval(), 5, 0.25);
  now = 3 * 3600e6 + 123;
  EXPECT_GT(std::abs(interval() - 5), 1) << "the first tickets have the old base";
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(interval(), 5, 0.25);
    now += 0.4e6;
  }
}

// The time of a later ticket is the time of an earlier ticket plus the interval between them. This must hold even if
// the two tickets have different bases.
TEST(DeviceTickets, KeepOneClockWhenTheBaseChanges) {
  double now = 0;
  const auto backend = device::make(std::make_unique<FloatClock>(now));
  double first = 0;
  for (int i = 0; i < 50; ++i, now += 0.7e6) {
    Ticket ticket = backend->mark({3});
    backend->resolve(ticket);
    if (i == 0) first = ticket.us;
    EXPECT_NEAR(ticket.us - first, i * 0.7e6, 50 * 0.1);
  }
}

}  // namespace
}  // namespace ringfort::testing
