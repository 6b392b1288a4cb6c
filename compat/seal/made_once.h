// SPDX-License-Identifier: Apache-2.0
// A value that the first use makes, and that all threads share. A fork may interrupt the making in another thread of
// the parent. Then the child makes the value again: std::call_once starts again there (glibc), and finds no half-made
// value, because the last step sets one pointer.
#pragma once

#include <memory>
#include <mutex>

namespace seal::detail {

template <class T>
class MadeOnce {
 public:
  // Returns the value; the first call makes it with make(). After an exception, the next call tries again.
  template <class Make>
  [[nodiscard]] const T& get(Make make) const {
    std::call_once(once_, [&] { value_ = std::make_unique<const T>(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const T> value_;
};

}  // namespace seal::detail
