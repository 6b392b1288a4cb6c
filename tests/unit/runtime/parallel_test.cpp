// SPDX-License-Identifier: Apache-2.0
// Tests the parallel loop for_each_task(). It must also work in a forked child, and afterwards in the parent.
#include "runtime/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <stdexcept>

namespace ringfort {
namespace {

std::uint64_t sum_on_threads() {
  std::atomic<std::uint64_t> sum{0};
  for_each_task(2, 100, [&](std::size_t i, unsigned) { sum += i; });
  return sum;
}

TEST(ForEachTask, RunsEveryTaskOnce) { EXPECT_EQ(sum_on_threads(), 4950u); }

TEST(ForEachTask, ThrowsWhatATaskThrew) {
  EXPECT_THROW(for_each_task(2, 10,
                             [](std::size_t i, unsigned) {
                               if (i == 7) throw std::runtime_error("seven");
                             }),
               std::runtime_error);
}

// If a child waited for the threads of its parent, it would hang. The alarm would then end it.
TEST(ForEachTask, RunsInAForkedChildAndInItsParentAfterwards) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork of several";
#endif
  EXPECT_EQ(sum_on_threads(), 4950u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(sum_on_threads() == 4950u ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "the child hung" : "the child failed");
  EXPECT_EQ(sum_on_threads(), 4950u);
}

}  // namespace
}  // namespace ringfort
