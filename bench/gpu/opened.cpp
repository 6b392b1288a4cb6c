// SPDX-License-Identifier: Apache-2.0
// Opens a GPU for the benchmark (opened.h), with a driver that counts launches and copies.
#include "bench/gpu/opened.h"

#include <mutex>

#include "backend/cuda/device.h"
#include "backend/device/backend.h"
#include "backend/device/emu/device.h"
#include "backend/opencl/device.h"
#include "ringfort/error.h"

namespace ringfort::bench::gpu {
namespace {

using device::Address;
using device::Event;

// A driver that counts the calls and passes each to the driver below it.
class CountedDriver final : public device::Driver {
 public:
  CountedDriver(std::unique_ptr<device::Driver> of, Tally& tally) : of_(std::move(of)), tally_(tally) {}
  const device::Facts& facts() const noexcept override { return of_->facts(); }
  std::string error() const override { return of_->error(); }

  Status allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept override {
    count([&] { ++tally_.allocations; });
    return of_->allocate(bytes, privacy, out);
  }
  Status release(Address memory) noexcept override { return of_->release(memory); }
  MemoryUse memory() const noexcept override { return of_->memory(); }
  Status allocate_host(std::size_t bytes, std::byte*& out) noexcept override { return of_->allocate_host(bytes, out); }
  Status release_host(std::byte* memory) noexcept override { return of_->release_host(memory); }

  Status load(std::string_view kernel, device::Kernel& out) noexcept override {
    const Status status = of_->load(kernel, out);
    if (status == Status::ok) count([&] { names_[out.handle] = kernel; });
    return status;
  }
  Status launch(u32 stream, const device::KernelCall& call) noexcept override {
    count([&] { ++tally_.launches[names_[call.kernel.handle]]; });
    return of_->launch(stream, call);
  }
  Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept override {
    count_copy(bytes);
    return of_->copy_in(stream, to, from, bytes);
  }
  Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept override {
    count_copy(bytes);
    return of_->copy_out(stream, to, from, bytes);
  }
  Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept override {
    count_copy(bytes);
    return of_->copy(stream, to, from, bytes);
  }
  Status zero(u32 stream, Address to, std::size_t bytes) noexcept override { return of_->zero(stream, to, bytes); }

  Status record(u32 stream, Event& out) noexcept override { return of_->record(stream, out); }
  Status wait(u32 stream, Event event) noexcept override { return of_->wait(stream, event); }
  Status query(Event event, bool& has_ended) noexcept override { return of_->query(event, has_ended); }
  Status synchronize(Event event) noexcept override { return of_->synchronize(event); }
  Status finish(u32 stream) noexcept override { return of_->finish(stream); }
  Status elapsed(Event begin, Event end, double& us) noexcept override { return of_->elapsed(begin, end, us); }
  void forget(Event event) noexcept override { of_->forget(event); }

 private:
  // If memory runs out, a count is lost.
  template <class F>
  void count(F f) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      f();
    } catch (const std::bad_alloc&) {  // the benchmark reports the missing memory
    }
  }
  void count_copy(std::size_t bytes) noexcept {
    count([&] { ++tally_.copies, tally_.copied_bytes += bytes; });
  }

  std::unique_ptr<device::Driver> of_;
  Tally& tally_;
  std::mutex mutex_;
  std::map<const void*, std::string> names_;  // names of kernels by handle
};

}  // namespace

Opened::Opened(std::string_view name)
    : tally_(std::make_unique<Tally>()),
      counters_(std::make_unique<std::map<std::string_view, emu::Counters>>()) {
  std::string refusal;
  const std::string_view kind = name.substr(0, name.find(':'));
  std::unique_ptr<device::Driver> driver;
  device::TransformChoice choice;
  if (kind == "emu") driver = emu::open(name, refusal, choice, counters_.get());
  else if (kind == "cuda") driver = cuda::open(name, refusal, choice);
  else if (kind == "opencl") driver = opencl::open(name, refusal, choice);
  else refusal = "it is no GPU";
  if (driver == nullptr)
    throw Error(Code::device_unknown, std::string(name) + ": " + refusal, "give a device of `ringfort doctor`");
  times_ = kind != "emu" && driver->facts().chip != "emulated";
  auto counted = std::make_unique<CountedDriver>(std::move(driver), *tally_);
  driver_ = counted.get();
  device_ = std::make_shared<Device>(device::make(std::move(counted), choice));
}

}  // namespace ringfort::bench::gpu
