// SPDX-License-Identifier: Apache-2.0
// Independent tasks on a few threads (OpenMP, one level): task(index, thread). The first exception is thrown again by
// the caller's thread after all have ended. Which thread runs a task is not fixed: results must not depend on it.
#pragma once

#include <cstddef>
#include <functional>

namespace ringfort {

void for_each_task(unsigned threads, std::size_t count,
                   const std::function<void(std::size_t index, unsigned thread)>& task);

}  // namespace ringfort
