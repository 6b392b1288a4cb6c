// SPDX-License-Identifier: Apache-2.0
// A device's cache for copies of polynomials that are on other devices (runtime/device_batch.h). It keeps a copy alive
// after the last object that owned it is destroyed. Later requests can then use the copy, while its source exists and
// the budget is large enough. The cache drops the least recently used copies first. It never keeps secrets.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fork_mutex.h"
#include "math/types.h"

namespace ringfort {

class DeviceBatch;

// The copies on one device. Threads can share the object.
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
  // Drops copies until at most `bytes` are left. The caller must hold the mutex. The dropped copies move to `ended`, so
  // that the caller can destroy them after it has unlocked the mutex.
  void shrink_to(std::size_t bytes, Ended& ended);
  mutable ForkMutex mutex_{ForkMutex::Order::outer};
  std::list<Entry> entries_;  // most recently used first
  std::size_t bytes_ = 0, most_ = 0;
};

}  // namespace ringfort
