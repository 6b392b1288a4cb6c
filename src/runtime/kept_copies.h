// SPDX-License-Identifier: Apache-2.0
// A cache of a device for copies of polynomials of other devices (runtime/device_batch.h). It keeps a copy
// alive when no object owns it any more. The copy then serves later requests, while its source exists and the budget is
// large enough. The least recently used copies are dropped first. The cache never keeps secrets.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "math/types.h"

namespace ringfort {

class DeviceBatch;

// Copies on one device. Shareable between threads.
class KeptCopies {
 public:
  void keep(const std::shared_ptr<DeviceBatch>& source, const std::shared_ptr<DeviceBatch>& copy) noexcept;
  void use(const DeviceBatch& copy) noexcept;     // marks it as most recently used
  void keep_at_most(std::size_t bytes) noexcept;  // initially 0
  bool drop() noexcept;                           // drops all copies; returns whether there were any
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Entry {
    std::weak_ptr<DeviceBatch> source, copy;
    std::size_t bytes;
  };
  using Ended = std::vector<std::shared_ptr<DeviceBatch>>;
  // Drops copies; the caller must hold the mutex. Moves them to `ended`, so that the caller destroys them after
  // unlocking.
  void shrink_to(std::size_t bytes, Ended& ended);
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::size_t bytes_ = 0, most_ = 0;
};

}  // namespace ringfort
