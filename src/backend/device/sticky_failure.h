// SPDX-License-Identifier: Apache-2.0
// Keeps the first sticky failure of a driver (driver.h), and its reason.
#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::device {

class StickyFailure {
 public:
  [[nodiscard]] Status status() const noexcept { return status_; }
  // Throws std::bad_alloc.
  [[nodiscard]] std::string reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }
  // Sets the failure if there is none yet. Its reason consists of `texts`. Returns the status of the first failure.
  Status set(Status status, std::initializer_list<std::string_view> texts) noexcept {
    const std::lock_guard lock(mutex_);
    if (status_ != Status::ok) return status_;
    status_.store(status);
    try {
      for (const std::string_view text : texts) reason_.append(text);
    } catch (const std::bad_alloc&) {  // without memory, the failure has no reason
    }
    return status;
  }

 private:
  std::atomic<Status> status_ = Status::ok;
  mutable std::mutex mutex_;
  std::string reason_;
};

}  // namespace ringfort::device
