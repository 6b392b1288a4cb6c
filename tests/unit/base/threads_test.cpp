// SPDX-License-Identifier: Apache-2.0
// Tests for_each_item(). It must run every item once, on the threads that it may use. A thread that stops must delay
// only its own item. If waits for the workers cost the caller more time than the workers saved (a loss), the caller
// computes alone for some time. The tests also cover nested loops, several callers and forked processes.
#include "base/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

namespace ringfort {
namespace {

using Clock = std::chrono::steady_clock;

// Runs f on a new thread. This thread has no workers and no losses yet.
template <class F>
void on_own_thread(F f) {
  std::thread(f).join();
}

// Returns how many items did not run exactly once, or ran at the same time as another item of the same thread.
std::size_t wrong_items(unsigned threads, std::size_t items) {
  std::vector<std::atomic<int>> ran(items), inside(threads);
  std::atomic<std::size_t> wrong{0};
  for_each_item(threads, items, [&](std::size_t i, unsigned thread) {
    if (thread >= threads || inside[thread]++ != 0) ++wrong;
    ++ran[i];
    if (thread < threads) --inside[thread];
  });
  for (const auto& count : ran) wrong += count != 1 ? 1 : 0;
  return wrong;
}

TEST(ForEachItem, RunsEveryItemOnceOnTheThreadsThatItMayUse) {
  for (unsigned threads = 1; threads <= 6; ++threads) {
    for (std::size_t items = 0; items <= 40; ++items) {
      ASSERT_EQ(wrong_items(threads, items), 0u) << threads << " threads, " << items << " items";
    }
  }
  for (int round = 0; round < 2000; ++round) ASSERT_EQ(wrong_items(2 + round % 2, 16), 0u) << "round " << round;
}

// The first item of the second share ends after all other items. One thread runs this item. The other thread must run
// all items that are left.
TEST(ForEachItem, LeavesAThreadThatStopsItsItemAlone) {
  constexpr std::size_t kItems = 100;
  std::atomic<std::size_t> others{0};
  on_own_thread([&] {
    for_each_item(2, kItems, [&](std::size_t i, unsigned) {
      if (i != kItems / 2) {
        ++others;
        return;
      }
      const auto begin = Clock::now();  // with one thread alone, the other items would never end
      while (others != kItems - 1 && Clock::now() - begin < std::chrono::seconds(60)) std::this_thread::yield();
      EXPECT_EQ(others, kItems - 1);
    });
  });
  EXPECT_EQ(others, kItems - 1);
}

TEST(ForEachItem, ComputesAloneAfterALoss) {
  using std::chrono::milliseconds;
  bool tried = false;
  for (int round = 0; round < 20 && !tried; ++round) {
    on_own_thread([&] {
      std::atomic<bool> begun{false};
      for_each_item(2, 2, [&](std::size_t i, unsigned) {
        if (i == 1) {
          begun = true;
          std::this_thread::sleep_for(milliseconds(100));
        }
        while (!begun) std::this_thread::yield();
      });
      const auto end = Clock::now();
      std::atomic<int> elsewhere{0};
      const std::thread::id self = std::this_thread::get_id();
      for_each_item(2, 100, [&](std::size_t, unsigned) {
        if (std::this_thread::get_id() != self) ++elsewhere;
      });
      // this thread stopped for too long: the time in which it computes alone may be over
      if (Clock::now() - end > milliseconds(200)) return;
      tried = true;
      EXPECT_EQ(elsewhere, 0);
    });
  }
  EXPECT_TRUE(tried);
}

TEST(ForEachItem, RunsALoopInsideALoopOnItsThread) {
  std::atomic<int> elsewhere{0}, inner{0};
  for_each_item(3, 12, [&](std::size_t, unsigned) {
    const std::thread::id self = std::this_thread::get_id();
    for_each_item(3, 5, [&](std::size_t, unsigned) {
      if (std::this_thread::get_id() != self) ++elsewhere;
      ++inner;
    });
  });
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(inner, 60);
}

TEST(ForEachItem, ServesSeveralCallersAtOnce) {
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) wrong += wrong_items(3, 10);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0u);
}

// If a child waited for the threads of its parent, it would hang. The alarm would then end it.
TEST(ForEachItem, RunsInAForkedChildAndInItsParentAfterwards) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork of several";
#endif
  EXPECT_EQ(wrong_items(2, 100), 0u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(wrong_items(2, 100) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "the child hung" : "the child failed");
  EXPECT_EQ(wrong_items(2, 100), 0u);
}

}  // namespace
}  // namespace ringfort
