// SPDX-License-Identifier: Apache-2.0
// Runs independent tasks on several threads (parallel.h).
#include "runtime/parallel.h"

#include <exception>
#include <mutex>

#include "base/threads.h"

namespace ringfort {

void for_each_task(unsigned threads, std::size_t count, const std::function<void(std::size_t, unsigned)>& task) {
  std::exception_ptr failure;
  std::mutex guard;
  for_each_item(threads, count, [&](std::size_t i, unsigned thread) {
    try {
      task(i, thread);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ringfort
