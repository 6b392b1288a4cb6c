// SPDX-License-Identifier: Apache-2.0
// Keeps copies of polynomials from other devices, up to a number of bytes (kept_copies.h).
#include "runtime/kept_copies.h"

#include <algorithm>

#include "runtime/device_batch.h"

namespace ringfort {

void KeptCopies::keep(const std::shared_ptr<DeviceBatch>& source, const std::shared_ptr<DeviceBatch>& copy) noexcept {
  Ended ended;  // destroyed after the lock
  const std::size_t size = copy->shape().batch * copy->shape().polynomial_bytes();
  try {
    const std::lock_guard lock(mutex_);
    if (size > most_) return;
    entries_.remove_if([&](const Entry& entry) {
      const bool gone = entry.copy.expired();
      bytes_ -= gone ? entry.bytes : 0;
      return gone;
    });
    shrink_to(most_ - size, ended);
    entries_.push_front({source, copy, size});
    bytes_ += size;
    source->hold(copy);
  } catch (const std::bad_alloc&) {  // without memory for the entry, the copy is not kept
  }
}

// Compares owners: a pointer to a copy could be its last, and would then destroy the copy under the lock.
void KeptCopies::use(const DeviceBatch& copy) noexcept {
  const std::weak_ptr<const DeviceBatch> used = copy.weak_from_this();
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return !entry.copy.owner_before(used) && !used.owner_before(entry.copy);
  });
  if (at != entries_.end()) entries_.splice(entries_.begin(), entries_, at);
}

void KeptCopies::shrink_to(std::size_t bytes, Ended& ended) {
  while (bytes_ > bytes) {
    const Entry& last = entries_.back();
    ended.reserve(ended.size() + 2);
    auto source = last.source.lock(), copy = last.copy.lock();
    if (source != nullptr && copy != nullptr) source->let_go(*copy);
    ended.push_back(std::move(source));
    ended.push_back(std::move(copy));
    bytes_ -= last.bytes;
    entries_.pop_back();
  }
}

void KeptCopies::keep_at_most(std::size_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    most_ = bytes;
  }
  Ended ended;
  try {
    const std::lock_guard lock(mutex_);
    shrink_to(bytes, ended);
  } catch (const std::bad_alloc&) {  // without memory, the next keep() shrinks the cache
  }
}

bool KeptCopies::drop() noexcept {
  Ended ended;
  try {
    const std::lock_guard lock(mutex_);
    shrink_to(0, ended);
  } catch (const std::bad_alloc&) {}
  return !ended.empty();
}

std::size_t KeptCopies::bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.copy.expired() ? 0 : entry.bytes;
  return bytes;
}

}  // namespace ringfort
