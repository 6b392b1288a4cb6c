// SPDX-License-Identifier: Apache-2.0
// Collects verbs into one sequence, on devices that gain from it. While a Collector of a device exists, all verbs that
// its thread runs on the device wait on the Collector's stream; end() runs them. An upload, a download or synchronize()
// runs them earlier. Buffers that end meanwhile are released after the verbs, and the device is told that nothing reads
// them.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace ringfort {

class Collector {
 public:
  // Collects nothing if the device does not gain from it, or if the thread already has a collector.
  Collector(const Device& device, Stream s);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  // Runs the waiting verbs; their errors are lost.
  ~Collector();

  // Runs the waiting verbs. Errors: those of the verbs.
  void end();
  // Returns the collector of this thread and device, or nullptr.
  [[nodiscard]] static Collector* of(const Device& device) noexcept;

  // Takes the verbs and returns true; or runs the waiting verbs and returns false: then the caller must run `verbs`.
  [[nodiscard]] bool collect(Stream s, std::span<const Verb> verbs);
  void flush();
  // Declares that nothing reads the buffer's contents any more. Unless a later verb uses the buffer, the device may
  // drop them (DeviceBuffer::ends).
  void forget(DeviceBuffer* buffer) noexcept;
  // Releases the buffer after the waiting verbs, whose errors end() reports. Returns false if no verb waits.
  [[nodiscard]] bool release_later(DeviceBuffer* buffer, const MemoryRequest& as, bool wipe) noexcept;

 private:
  struct Released {
    DeviceBuffer* buffer;
    MemoryRequest as;
    bool wipe;
  };
  void run_and_release(const Sequence& now);
  const Device& device_;
  Stream stream_;
  bool active_;
  Sequence waiting_;
  std::vector<DeviceBuffer*> forgotten_;
  std::vector<Released> released_;
  std::exception_ptr failure_;
};

}  // namespace ringfort
