// SPDX-License-Identifier: Apache-2.0
// Runs independent tasks on several threads (OpenMP, one level): task(index, thread). After all tasks have ended, the
// first exception is rethrown in the caller's thread. The thread of a task is not fixed: results must not depend on it.
#pragma once

#include <cstddef>
#include <functional>

namespace ringfort {

void for_each_task(unsigned threads, std::size_t count,
                   const std::function<void(std::size_t index, unsigned thread)>& task);

}  // namespace ringfort
