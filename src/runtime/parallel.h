// SPDX-License-Identifier: Apache-2.0
// Calls task(index, thread) for independent tasks on several threads (base/threads.h). After all tasks have ended, it
// rethrows the first exception of a task in the caller's thread. Any thread may run any task. Therefore results must
// not depend on `thread`.
#pragma once

#include <cstddef>
#include <functional>

namespace ringfort {

void for_each_task(unsigned threads, std::size_t count,
                   const std::function<void(std::size_t index, unsigned thread)>& task);

}  // namespace ringfort
