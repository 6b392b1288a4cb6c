// SPDX-License-Identifier: Apache-2.0
// Batches verbs into one sequence, on devices that gain from it. While a Collector of a device exists, the verbs that
// its thread runs on the device wait, all on its stream; end() runs them. An upload, a download or synchronize() runs
// them earlier. Buffers that end meanwhile are released after the verbs, and the device knows that nothing reads them.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace ringfort {

class Collector {
 public:
  // Collects nothing if the device gains nothing, or if the thread already has a collector.
  Collector(const Device& device, Stream s);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  // Runs the waiting verbs; their errors and results are lost.
  ~Collector();

  // Errors: those of the verbs.
  void end();
  // Returns the collector of this thread and device, or nullptr.
  [[nodiscard]] static Collector* of(const Device& device) noexcept;

  // Takes the verbs and returns true; or runs the waiting verbs and returns false: the caller then runs these.
  [[nodiscard]] bool collect(Stream s, std::span<const Verb> verbs);
  void flush();
  // Declares that the buffer's contents are no longer read: unless a later verb names it, the device may drop them
  // (DeviceBuffer::ends).
  void forget(DeviceBuffer* buffer) noexcept;
  // Releases the buffer after the waiting verbs; false: none wait. end() reports errors of these verbs.
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
