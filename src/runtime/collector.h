// SPDX-License-Identifier: Apache-2.0
// Collects the verbs (operations on arrays of a device) that a thread calls into one sequence, on devices that are
// faster with long sequences. While a Collector of a stream exists, all verbs that its thread calls on this stream
// wait, except those that access host memory (Upload, Download, Lift). Such a verb, a verb on another stream,
// synchronize() and end() run the waiting verbs first. A buffer that is released meanwhile is kept until the waiting
// verbs have run. The device is told that no later verb reads the buffer, so that it need not store its contents.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace ringfort {

class Collector {
 public:
  // Collects nothing if the device runs verbs at once, or if the thread already has a collector.
  Collector(const Device& device, Stream s);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  // Runs the waiting verbs; their errors are lost.
  ~Collector();

  // Runs the waiting verbs. Errors: those of the verbs.
  void end();
  // Returns the collector of this thread and device, or nullptr.
  [[nodiscard]] static Collector* of(const Device& device) noexcept;

  // Returns true if it takes the verbs. Otherwise it runs the waiting verbs and returns false, and the caller must run
  // `verbs`.
  [[nodiscard]] bool collect(Stream s, std::span<const Verb> verbs);
  void flush();
  // Declares that no later verb reads the buffer's contents, so that the device need not store them
  // (DeviceBuffer::ends).
  void forget(DeviceBuffer* buffer) noexcept;
  // Releases the buffer after the waiting verbs, whose errors end() reports. Returns false, and leaves the buffer to
  // the caller, if no verb waits.
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
