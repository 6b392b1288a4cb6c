// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel.h"

#include <omp.h>

#include <exception>

#include "base/teams.h"

namespace ringfort {

void for_each_task(unsigned threads, std::size_t count, const std::function<void(std::size_t, unsigned)>& task) {
  std::exception_ptr failure;
  if (threads > 1) end_teams_at_fork();
#pragma omp parallel for schedule(dynamic) num_threads(threads == 0 ? 1 : threads)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      task(i, static_cast<unsigned>(omp_get_thread_num()));
    } catch (...) {
#pragma omp critical(ringfort_task_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ringfort
