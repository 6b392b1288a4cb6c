// SPDX-License-Identifier: Apache-2.0
// A device that was opened by name. All verbs (operations on polynomials, backend/verbs.h) pass through Device::run(),
// which checks the contract of each verb. Some verbs are optional. A device that computes an optional verb itself
// *fuses* it. On other devices, a sequence of simpler verbs replaces the verb. A Collector (runtime/collector.h) may
// delay verbs. When verbs run, they are reported to a profiler. Functions throw Error if a Status is not ok. Threads
// can share a Device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "backend/backend.h"
#include "base/fault.h"
#include "runtime/kept_copies.h"
#include "runtime/memory_cache.h"
#include "runtime/profiler.h"

namespace ringfort {

// Translates a Status. Returns if the Status is ok. If not, throws the Error that the public API promises.
// Device::prepare and Buffer translate some failures themselves, because they know more about them.
void check(Status status, std::string_view what, std::string_view device, std::string_view cause = {});

class Device : private LaunchListener {
 public:
  // Opens a device. An empty name means the default device (ringfort/device.h). Errors: device_unknown, out_of_memory.
  [[nodiscard]] static std::shared_ptr<const Device> open(std::string_view name);
  explicit Device(std::shared_ptr<Backend> backend)
      : backend_(std::move(backend)),
        memory_(std::make_shared<MemoryCache>(backend_)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() override { backend_->report_launches(nullptr); }

  [[nodiscard]] std::string name() const { return std::string(backend_->name()); }
  [[nodiscard]] Backend& backend() const noexcept { return *backend_; }
  [[nodiscard]] MemoryCache& memory() const noexcept { return *memory_; }
  [[nodiscard]] KeptCopies& copies() const noexcept { return copies_; }
  // Reports to `profiler` every later verb, unless the verb fails. A null `profiler` ends the reports. Verbs that have
  // begun still report to the previous profiler.
  void profile(std::shared_ptr<Profiler> profiler) const noexcept;
  void check(Status status, std::string_view what) const {
    if (status != Status::ok) ringfort::check(status, what, backend_->name(), backend_->failure());
  }

  // Errors: unsupported, out_of_memory
  [[nodiscard]] std::shared_ptr<const PreparedPlan> prepare(const Plan& plan) const;

  // Checks verbs and runs them. If this thread has a Collector for the device, the Collector may keep the verbs and run
  // them later. Errors of delayed verbs come from a later call. Errors: internal if operands are inconsistent (then
  // none of `verbs` has run), unsupported, out_of_memory, device_lost.
  void run(Stream s, std::span<const Verb> verbs) const;
  void run(Stream s, const Verb& verb) const;
  void synchronize(Stream s) const;

  // Runs verbs now, although this thread may have a Collector. The verbs must have passed the checks of run().
  void run_at_once(Stream s, std::span<const Verb> verbs) const;

 private:
  [[nodiscard]] std::shared_ptr<Profiler> listener() const noexcept;
  void launched(const Launch& launch) const noexcept override;
  void run_whole(Stream s, std::span<const Verb> verbs) const;
  [[nodiscard]] Status run_profiled(Stream s, std::span<const Verb> verbs, Profiler& profiler) const;

  std::shared_ptr<Backend> backend_;
  std::shared_ptr<MemoryCache> memory_;
  mutable KeptCopies copies_;
  // True if there is a profiler. Verbs read this flag first, and lock the mutex only if the flag is true.
  mutable std::atomic<bool> listening_{false};
  mutable ForkMutex turns_{ForkMutex::Order::outer};  // held while profiled verbs run, if time is simulated
  mutable ForkMutex mutex_{ForkMutex::Order::inner};  // guards the profiler
  mutable std::shared_ptr<Profiler> profiler_;
};

// Device memory. A Buffer is move-only. Its destructor wipes the memory, because the memory may contain secret keys, or
// the secret noise of an encryption.
class Buffer {
 public:
  Buffer() = default;
  // Errors: out_of_memory, device_lost.
  Buffer(std::shared_ptr<const Device> device, const MemoryRequest& request);
  Buffer(Buffer&& o) noexcept
      : device_(std::move(o.device_)),
        handle_(std::exchange(o.handle_, nullptr)),
        request_(o.request_),
        wipe_(o.wipe_) {}
  Buffer& operator=(Buffer&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(handle_, o.handle_);
    std::swap(request_, o.request_);
    std::swap(wipe_, o.wipe_);
    return *this;
  }
  ~Buffer();
  [[nodiscard]] DeviceBuffer* handle() const noexcept { return handle_; }
  // Omits the wipe of the destructor. The next owner of the memory may then see the contents. Call this only for public
  // words, or for secret memory that has been zeroed.
  void keep_contents() noexcept { wipe_ = false; }

 private:
  std::shared_ptr<const Device> device_;
  DeviceBuffer* handle_ = nullptr;
  MemoryRequest request_;
  bool wipe_ = true;
};

// Makes the caller's memory usable as device memory, on devices that work in the memory of the process. handle() is
// nullptr on other devices. It is also nullptr if the memory does not begin at the start of a cache line. The memory
// must outlive this object.
class LentBuffer {
 public:
  LentBuffer(const Device& device, void* memory, std::size_t bytes) noexcept;
  LentBuffer(const LentBuffer&) = delete;
  LentBuffer& operator=(const LentBuffer&) = delete;
  ~LentBuffer() { device_.backend().release(handle_, false); }
  [[nodiscard]] DeviceBuffer* handle() const noexcept { return handle_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  const Device& device_;
  DeviceBuffer* handle_ = nullptr;
};

}  // namespace ringfort
