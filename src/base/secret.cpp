// SPDX-License-Identifier: Apache-2.0
// Prepares libsodium (secret.h).
#include "base/secret.h"

#include <atomic>

namespace ringfort {

bool sodium_is_ready() noexcept {
  static std::atomic<bool> ready{false};
  if (!ready.load(std::memory_order_acquire)) ready.store(sodium_init() >= 0, std::memory_order_release);
  return ready.load(std::memory_order_relaxed);
}

namespace {

[[maybe_unused]] const bool prepared = sodium_is_ready();  // when the program is loaded, before it has other threads

}  // namespace

}  // namespace ringfort
