// SPDX-License-Identifier: Apache-2.0
// Copies of words that were brought to a device for somebody who has let go of them: they stay for the next who asks,
// as long as what they were copied from lives and all of them fit into a budget; those that nobody has asked for
// longest go first. Only public words are kept.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "math/types.h"

namespace ringfort {

class DeviceBatch;

// Of one device. Shareable between threads.
class KeptCopies {
 public:
  void keep(const std::shared_ptr<DeviceBatch>& source, const std::shared_ptr<DeviceBatch>& copy) noexcept;
  void use(const DeviceBatch& copy) noexcept;     // it is the last to go now
  void keep_at_most(std::size_t bytes) noexcept;  // 0, unless somebody says more
  bool drop() noexcept;                           // all; whether there were any
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Entry {
    std::weak_ptr<DeviceBatch> source, copy;
    std::size_t bytes;
  };
  using Ended = std::vector<std::shared_ptr<DeviceBatch>>;
  // With the mutex held; what ends does so when the caller has let go of it.
  void shrink_to(std::size_t bytes, Ended& ended);
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::size_t bytes_ = 0, most_ = 0;
};

}  // namespace ringfort
