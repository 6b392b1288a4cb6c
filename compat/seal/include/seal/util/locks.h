// SPDX-License-Identifier: Apache-2.0
// A lock for many readers or one writer, under SEAL's names.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace seal {
namespace util {

using ReaderLock = std::shared_lock<std::shared_mutex>;
using WriterLock = std::unique_lock<std::shared_mutex>;

class ReaderWriterLocker {
 public:
  [[nodiscard]] ReaderLock acquire_read() { return ReaderLock(mutex_); }
  [[nodiscard]] WriterLock acquire_write() { return WriterLock(mutex_); }
  [[nodiscard]] ReaderLock try_acquire_read() { return ReaderLock(mutex_, std::try_to_lock); }
  [[nodiscard]] WriterLock try_acquire_write() { return WriterLock(mutex_, std::try_to_lock); }

 private:
  std::shared_mutex mutex_;
};

}  // namespace util
}  // namespace seal
