// SPDX-License-Identifier: Apache-2.0
// A Collector collects the verbs (operations on polynomials) that a thread calls, and runs them as one sequence.
// It does this on devices that are faster with long sequences. While a Collector of a stream exists, the verbs that its
// thread calls on this stream wait. Verbs that access host memory (Upload, Download, Lift) do not wait. The waiting
// verbs run before a verb that accesses host memory, before a verb on another stream, and in synchronize(), in end()
// and in the destructor. If a buffer is released while verbs wait, the Collector keeps the buffer until they have run.
// It also tells the device that no later verb reads the buffer, so that the device need not store the buffer's
// contents.
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
  // Runs the waiting verbs. Errors of these verbs are lost.
  ~Collector();

  // Runs the waiting verbs. Throws the errors of these verbs.
  void end();
  // Returns the collector of this thread and device, or nullptr.
  [[nodiscard]] static Collector* of(const Device& device) noexcept;

  // Takes the verbs and returns true, or runs the waiting verbs and returns false. After false, the caller must run
  // `verbs`.
  [[nodiscard]] bool collect(Stream s, std::span<const Verb> verbs);
  void flush();
  // Declares that no later verb reads the contents of the buffer. The device then need not store them
  // (DeviceBuffer::ends).
  void forget(DeviceBuffer* buffer) noexcept;
  // If verbs are waiting, returns true, and releases the buffer after they have run. end() reports the errors of these
  // verbs. If no verb waits, or if memory for the list runs out (the call then runs the verbs), returns false, and the
  // caller must release the buffer.
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
