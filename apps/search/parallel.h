// SPDX-License-Identifier: Apache-2.0
// Parallel loops of the word search, with OpenMP. Exceptions of all threads reach the caller, and only the calling
// thread reports progress.
#pragma once

#include <omp.h>

#include <atomic>
#include <exception>

#include "ringfort/error.h"
#include "ringfort/search.h"
#include "ringfort/teams.h"

namespace ringfort::search {

// Counts the units that all threads have done, out of `total`.
class ProgressCounter {
 public:
  ProgressCounter(const Progress& progress, std::uint64_t total) : progress_(progress), total_(total) {}
  // After the progress function has returned false, throws in every thread.
  void add(std::uint64_t units = 1) {
    const std::uint64_t done = done_.fetch_add(units) + units;
    if (progress_ && omp_get_thread_num() == 0 && !progress_(done, total_)) stopped_ = true;
    if (stopped_)
      throw Error(Code::stopped, "stopped after " + std::to_string(done) + " of " + std::to_string(total_), "");
  }
  // Subtracts units that must be done again.
  void take_back(std::uint64_t units) { done_.fetch_sub(units); }

 private:
  const Progress& progress_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> stopped_{false};
};

// Calls body(t) for t < threads. Each call has its own thread if the runtime starts enough threads. Rethrows the first
// exception.
template <class Body>
void on_threads(unsigned threads, const Body& body) {
  std::exception_ptr thrown;
  std::atomic<bool> has_thrown{false};
  if (threads > 1) end_teams_at_fork();
#pragma omp parallel num_threads(static_cast<int>(threads))
  {
    // The runtime may start fewer threads than requested.
    for (unsigned t = static_cast<unsigned>(omp_get_thread_num()); t < threads;
         t += static_cast<unsigned>(omp_get_num_threads())) {
      try {
        body(t);
      } catch (...) {
        // not a critical section: all loops of the program share its lock, also with a forked child
        if (!has_thrown.exchange(true)) thrown = std::current_exception();
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

// Returns `asked`, or the number of processors if `asked` is 0.
[[nodiscard]] inline unsigned thread_count(unsigned asked) {
  return asked != 0 ? asked : static_cast<unsigned>(omp_get_num_procs());
}

// The indices [begin, end). share() returns share t of [0, count), which is divided into `shares` shares.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
[[nodiscard]] inline Range share(std::uint64_t count, unsigned t, unsigned shares) {
  return {count * t / shares, count * (t + 1) / shares};
}

}  // namespace ringfort::search
