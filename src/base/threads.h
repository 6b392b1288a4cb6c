// SPDX-License-Identifier: Apache-2.0
// Loops whose items several threads compute. Each thread first takes the items of its own share, one by one. Then it
// takes items that are left in other shares. Therefore the calling thread never waits for a thread that has not begun:
// it only waits for items that workers have begun. If such waits cost more time than the workers have saved, other
// programs probably compete for the cores. The caller then computes alone for eight times the lost time.
#pragma once

#include <cstddef>
#include <utility>

namespace ringfort {

// Calls call(loop, item, thread) for each item below `items`. The caller and up to threads - 1 workers compute. The
// workers belong to the calling thread. Any thread may take any item. Inside a parallel loop, only the caller computes.
// `call` must not throw. A forked process creates its own workers. A fork inside a loop is not supported.
void share_items(unsigned threads, std::size_t items, void (*call)(const void* loop, std::size_t item, unsigned thread),
                 const void* loop) noexcept;

// Calls f(item, thread) for each item, where thread < threads. Two calls with equal `thread` never overlap.
template <class F>
void for_each_item(unsigned threads, std::size_t items, const F& f) {
  if (threads <= 1 || items <= 1) {
    for (std::size_t i = 0; i < items; ++i) f(i, 0U);
    return;
  }
  share_items(
      threads, items,
      [](const void* loop, std::size_t item, unsigned thread) { (*static_cast<const F*>(loop))(item, thread); }, &f);
}

}  // namespace ringfort
