// SPDX-License-Identifier: Apache-2.0
// Verbs that wait to run as one sequence, on devices that gain by it. While a Collector of a device is there, the verbs
// that its thread runs on the device wait, all on its stream; end() runs them. What needs them before runs them before:
// an upload, a download, synchronize(). Buffers that end meanwhile are released when the verbs have run, and the device
// knows that nobody reads them.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace ringfort {

class Collector {
 public:
  // Collects nothing where the device does not gain, or where the thread collects already.
  Collector(const Device& device, Stream s);
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  // runs what still waits; an error is then lost, and so are the results
  ~Collector();

  // Errors: those of the verbs.
  void end();
  // Of this thread and device, or nullptr.
  [[nodiscard]] static Collector* of(const Device& device) noexcept;

  // Takes the verbs, or runs what waits and leaves them to the caller: false.
  [[nodiscard]] bool collect(Stream s, std::span<const Verb> verbs);
  void flush();
  // Nobody reads the buffer any more: unless a later verb names it, the device need not keep its words
  // (DeviceBuffer::ends).
  void forget(DeviceBuffer* buffer) noexcept;
  // Releases the buffer when what waits has run; false: nothing waits. An error of verbs is kept for end().
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
