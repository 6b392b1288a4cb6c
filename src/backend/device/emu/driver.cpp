// SPDX-License-Identifier: Apache-2.0
// The driver `emu` (driver.h). It queues work on streams that run late, records every use of memory, and reports
// findings.
#include "backend/device/emu/driver.h"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "backend/device/emu/launch.h"
#include "backend/device/emu/memory.h"
#include "backend/device/emu/streams.h"
#include "base/clock.h"

namespace ringfort::emu {

namespace {

using device::Address;
using device::Clock;
using device::Event;
using device::KernelCall;
using device::Use;

struct Arguments {
  alignas(16) std::array<std::byte, device::kMostArgs> bytes;
};

struct Work {
  u32 stream = 0;
  std::string_view name;
  std::span<const Use> on_device, on_host;
};

struct Moment {  // the state of an event
  Clock clock{};
  double us = 0;
};

class Driver final : public device::Driver {
 public:
  Driver(u32 index, FindKernel find_kernel, const Options& options)
      : find_kernel_(find_kernel),
        options_(options),
        streams_(options.seed),
        device_memory_("buffer", options.memory_bytes, options.checked),
        host_memory_("host memory", ~std::size_t{0}, false) {
    facts_.name = options.name;
    if (facts_.name.empty()) facts_.name.append("emu:").append(std::to_string(index));
    facts_.family = "emu";
    facts_.cluster_blocks = 8;  // the limit of every NVIDIA GPU with clusters
  }

  const device::Facts& facts() const noexcept override { return facts_; }
  std::string error() const override {
    const std::lock_guard lock(mutex_);
    return error_;
  }

  Status allocate(std::size_t bytes, Privacy privacy, Address& out) noexcept override {
    out = nullptr;
    return guarded(Operation::allocate, [&] { return device_memory_.allocate(bytes, privacy, out); });
  }
  Status release(Address memory) noexcept override {
    return guarded(Operation::none, [&] { return found(device_memory_.release(memory, streams_.seen())); });
  }
  MemoryUse memory() const noexcept override {
    const std::lock_guard lock(mutex_);
    return device_memory_.use();
  }
  Status allocate_host(std::size_t bytes, std::byte*& out) noexcept override {
    out = nullptr;
    return guarded(Operation::allocate, [&] { return host_memory_.allocate(bytes, Privacy::secret, out); });
  }
  Status release_host(std::byte* memory) noexcept override {
    return guarded(Operation::none, [&] { return found(host_memory_.release(memory, streams_.seen())); });
  }

  Status load(std::string_view kernel, device::Kernel& out) noexcept override {
    return guarded(Operation::load, [&] {
      out.handle = find_kernel_(kernel);
      return out.handle != nullptr ? Status::ok : Status::unsupported;
    });
  }

  Status launch(u32 stream, const KernelCall& call) noexcept override {
    return guarded(Operation::launch, [&] {
      const auto* const kernel = static_cast<const EmuKernel*>(call.kernel.handle);
      if (std::string wrong = wrong_shape(call); !wrong.empty()) return found(std::move(wrong));
      Arguments arguments;
      std::memcpy(arguments.bytes.data(), call.args.data(), call.args.size());
      return submit({stream, kernel->name, call.uses, {}},
                    [this, kernel, grid = call.grid, arguments](std::span<const Use> uses) {
                      run_kernel(*kernel, grid, arguments, uses);
                    });
    });
  }
  Status copy_in(u32 stream, Address to, const std::byte* from, std::size_t bytes) noexcept override {
    const Use read{const_cast<std::byte*>(from), bytes, false}, written{to, bytes, true};
    return move({stream, "copy_in", {&written, 1}, {&read, 1}}, to, from, bytes);
  }
  Status copy_out(u32 stream, std::byte* to, Address from, std::size_t bytes) noexcept override {
    const Use read{from, bytes, false}, written{to, bytes, true};
    return move({stream, "copy_out", {&read, 1}, {&written, 1}}, to, from, bytes);
  }
  Status copy(u32 stream, Address to, Address from, std::size_t bytes) noexcept override {
    const std::array<Use, 2> uses = {Use{from, bytes, false}, Use{to, bytes, true}};
    return move({stream, "copy", uses, {}}, to, from, bytes);
  }
  Status zero(u32 stream, Address to, std::size_t bytes) noexcept override {
    const Use written{to, bytes, true};
    return guarded(Operation::copy, [&] {
      return submit({stream, "zero", {&written, 1}, {}}, [this, to, bytes](std::span<const Use> uses) {
        std::memset(to, 0, bytes);
        note_copy("zero", uses);
      });
    });
  }

  Status record(u32 stream, Event& out) noexcept override {
    out = {};
    return guarded(Operation::event, [&] {
      const auto moment = std::make_shared<Moment>();
      if (stream < device::kStreams) moment->clock = streams_.next(stream);
      const Status status =
          submit({stream, "event", {}, {}}, [moment](std::span<const Use>) { moment->us = steady_us(); });
      if (status != Status::ok) return status;
      moments_.emplace(++events_, moment);
      out.id = events_;
      return Status::ok;
    });
  }
  Status wait(u32 stream, Event event) noexcept override {
    return with(Operation::event, event, [&](const Moment& moment) { streams_.wait(stream, moment.clock); });
  }
  Status query(Event event, bool& has_ended) noexcept override {
    return with(Operation::none, event, [&](const Moment& moment) {
      streams_.step_towards(moment.clock);
      has_ended = streams_.has_run(moment.clock);
      if (has_ended) streams_.see(moment.clock);
    });
  }
  Status synchronize(Event event) noexcept override {
    return with(Operation::none, event, [&](const Moment& moment) {
      streams_.run_until(moment.clock);
      streams_.see(moment.clock);
    });
  }
  Status finish(u32 stream) noexcept override {
    return guarded(Operation::none, [&] {
      if (stream >= device::kStreams) return found("finish: no such stream");
      const Clock clock = streams_.last(stream);
      streams_.run_until(clock);
      streams_.see(clock);
      return failure_;
    });
  }
  Status elapsed(Event begin, Event end, double& us) noexcept override {
    double from = 0, to = 0;
    Status status = with(Operation::none, begin, [&](const Moment& moment) { from = time_of(moment); });
    if (status == Status::ok) status = with(Operation::none, end, [&](const Moment& moment) { to = time_of(moment); });
    us = to - from;
    return status;
  }
  void forget(Event event) noexcept override {
    const std::lock_guard lock(mutex_);
    moments_.erase(event.id);
  }

 private:
  // Makes a call under the mutex. Refuses it if the device has failed, or if this call must fail.
  template <class Call>
  Status guarded(Operation operation, Call call) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_ != Status::ok) return failure_;
    const Failure& planned = options_.failure;
    const bool strikes = operation != Operation::none && operation == planned.operation && ++calls_ == planned.k;
    if (strikes && !planned.is_late) return Status::out_of_memory;
    strikes_late_ = strikes;
    try {
      return call();
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  template <class Call>
  Status with(Operation operation, Event event, Call call) noexcept {
    return guarded(operation, [&] {
      const auto at = moments_.find(event.id);
      if (at == moments_.end()) return found("use of an event that was not recorded, or is forgotten");
      call(*at->second);
      return failure_;
    });
  }
  double time_of(const Moment& moment) {
    if (!device::precedes(moment.clock, streams_.seen()))
      (void)found("time of an event whose end the host has not seen");
    return moment.us;
  }

  Status fail(Status status, std::string why) noexcept {
    if (failure_ != Status::ok) return failure_;
    error_ = std::move(why);
    return failure_ = status;
  }
  Status found(std::string finding) noexcept {
    return finding.empty() ? Status::ok : fail(Status::internal, std::move(finding));
  }

  std::string wrong_shape(const KernelCall& call) const {
    const auto* const kernel = static_cast<const EmuKernel*>(call.kernel.handle);
    if (kernel == nullptr) return "launch of a kernel that was not loaded";
    const device::Grid& grid = call.grid;
    const std::string name = kernel->name;
    if (call.args.size() > device::kMostArgs) return name + ": too many bytes of arguments";
    if (grid.blocks == 0 || grid.lanes == 0 || grid.lanes > facts_.most_lanes) return name + ": impossible grid";
    if (grid.cluster_blocks == 0 || grid.cluster_blocks > facts_.cluster_blocks ||
        grid.blocks % grid.cluster_blocks != 0)
      return name + ": impossible clusters";
    const u32 most = grid.cluster_blocks > 1 ? device::kSharedOfClusters : facts_.shared_bytes;
    if (grid.shared_bytes > most) return name + ": too much shared memory";
    return {};
  }

  // Queues a copy. If the target is host memory, a pattern fills it until the copy runs.
  Status move(const Work& work, std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    return guarded(Operation::copy, [&] {
      const Status status = submit(work, [this, to, from, bytes, name = work.name](std::span<const Use> uses) {
        note_copy(name, uses);
        std::memcpy(to, from, bytes);
      });
      if (status == Status::ok && !work.on_host.empty() && work.on_host[0].is_written) std::memset(to, kPattern, bytes);
      return status;
    });
  }

  // Records all uses of memory by this work. Returns the first finding (driver.h), or an empty string.
  std::string touch(const Work& work, const Clock& clock) {
    const Author author{work.name, work.stream, clock[work.stream]};
    for (const Use& use : work.on_device) {
      if (std::string finding = device_memory_.touch(use, author, clock); !finding.empty()) return finding;
    }
    for (const Use& use : work.on_host) {
      if (!host_memory_.knows(use.first)) continue;  // memory of the caller
      if (std::string finding = host_memory_.touch(use, author, clock); !finding.empty()) return finding;
    }
    return {};
  }

  void note_copy(std::string_view name, std::span<const Use> uses) {
    for (const Use& use : uses) (void)found(device_memory_.ran(use, name));
  }

  void run_kernel(const EmuKernel& kernel, const device::Grid& grid, const Arguments& arguments,
                  std::span<const Use> uses) {
    const bool counted = options_.counters != nullptr;
    Launch launch(kernel.name, device_memory_.regions(), {options_.checked, counted, options_.seed});
    if (options_.checked) launch.declare(uses);
    kernel.run(launch, grid, arguments.bytes.data());
    if (!options_.checked) return;
    if (counted) (*options_.counters)[kernel.name] += launch.counters();
    if (!launch.is_clean()) (void)found(launch.reports().front());
    else if (const Launch::Undeclared& outside = launch.undeclared(); outside.cell != nullptr)
      (void)found(std::string(kernel.name) + (outside.is_written ? " writes " : " reads ") +
                  device_memory_.name_at(outside.cell) + ", which its call does not name");
  }

  // Checks the uses, and then puts the work on its stream.
  template <class Run>
  Status submit(const Work& work, Run run) {
    if (work.stream >= device::kStreams) return found(std::string(work.name) + ": no such stream");
    if (std::string finding = touch(work, streams_.next(work.stream)); !finding.empty()) return found(finding);
    std::vector<Use> uses(work.on_device.begin(), work.on_device.end());
    streams_.push(work.stream, [this, run, fails = strikes_late_, uses = std::move(uses), name = work.name] {
      if (failure_ != Status::ok) return;  // a lost device runs no work
      if (fails) {
        (void)fail(Status::device_lost, std::string(name) + " failed when it ran");
        return;
      }
      try {
        run(uses);
      } catch (const std::bad_alloc&) { (void)fail(Status::device_lost, std::string(name) + ": no memory to run it"); }
    });
    return Status::ok;
  }

  device::Facts facts_;
  FindKernel find_kernel_;
  Options options_;
  mutable std::mutex mutex_;
  Streams streams_;
  Memory device_memory_, host_memory_;
  std::map<u64, std::shared_ptr<Moment>> moments_;  // key: event
  u64 events_ = 0, calls_ = 0;
  bool strikes_late_ = false;  // the current call must fail when its work runs
  Status failure_ = Status::ok;
  std::string error_;
};

}  // namespace

std::unique_ptr<device::Driver> open(u32 index, FindKernel find_kernel, const Options& options) noexcept {
  try {
    return index < kDevices ? std::make_unique<Driver>(index, find_kernel, options) : nullptr;
  } catch (const std::bad_alloc&) { return nullptr; }
}

}  // namespace ringfort::emu
