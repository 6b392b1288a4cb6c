// SPDX-License-Identifier: Apache-2.0
// Tests ObjectMutex. A forked child takes over the mutexes that other threads of the parent locked, and repairs what
// they guard.
#include "base/object_mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace ringfort::object_mutex_test {
namespace {

static_assert(sizeof(ObjectMutex) == 4);

constexpr auto kNothing = [] {};

template <class Value>
void wait_for(const std::atomic<Value>& value) {
  while (!value) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Returns the exit status of a child that runs `work`. If the child hangs, it is killed.
template <class Work>
int status_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(work());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Counts how often it has to repair what it guards.
struct Guarded {
  ObjectMutex mutex;
  int repairs = 0;
  void use() {
    const ObjectMutex::Lock lock(mutex, [this] { ++repairs; });
  }
};

TEST(ObjectMutex, LetsOneThreadInAtATime) {
  ObjectMutex mutex;
  int count = 0, inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const ObjectMutex::Lock lock(mutex, kNothing);
        most = std::max(most, ++inside);
        if (i % 16 == 0) std::this_thread::yield();  // other threads arrive meanwhile
        ++count;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4 * 2000);
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(mutex.is_left());
}

// Threads that sleep until the mutex is free must all wake up.
TEST(ObjectMutex, WakesEveryThreadThatWaits) {
  ObjectMutex mutex;
  std::atomic<int> arrived = 0, ended = 0;
  std::vector<std::thread> threads;
  {
    const ObjectMutex::Lock lock(mutex, kNothing);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        ++arrived;
        const ObjectMutex::Lock turn(mutex, kNothing);
        ++ended;
      });
    }
    while (arrived < 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(ended, 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 4);
}

// With an ordinary mutex, the child would wait for ever.
TEST(ObjectMutex, IsTakenOverByAForkedChildOfAProcessWhoseOtherThreadHoldsIt) {
  Guarded taken, free;
  std::atomic<bool> locked = false, stop = false;
  std::thread holder([&] {
    const ObjectMutex::Lock lock(taken.mutex, kNothing);
    locked = true;
    wait_for(stop);
  });
  wait_for(locked);
  const int status = status_of_child([&] {
    if (!taken.mutex.is_left() || free.mutex.is_left()) return 1;
    for (int i = 0; i < 2; ++i) taken.use(), free.use();
    if (taken.mutex.is_left() || taken.repairs != 1 || free.repairs != 0) return 2;
    const int grandchild = status_of_child([&] {
      taken.use();
      return taken.repairs == 1 ? 0 : 1;
    });
    return grandchild == 0 ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(taken.mutex.is_left());
  stop = true;
  holder.join();
  taken.use();
  EXPECT_EQ(taken.repairs, 0) << "the parent must not notice what its child did";
}

// A thread of the parent that waits during the fork leaves its mark in the mutex.
TEST(ObjectMutex, IsTakenOverAlsoIfThreadsOfTheParentWaitForIt) {
  Guarded guarded;
  std::atomic<bool> locked = false, stop = false;
  std::thread holder([&] {
    const ObjectMutex::Lock lock(guarded.mutex, kNothing);
    locked = true;
    wait_for(stop);
  });
  wait_for(locked);
  std::thread waiter([&] { guarded.use(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int status = status_of_child([&] {
    guarded.use();
    return guarded.repairs == 1 && !guarded.mutex.is_left() ? 0 : 1;
  });
  stop = true;
  holder.join();
  waiter.join();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(guarded.repairs, 0);
}

}  // namespace
}  // namespace ringfort::object_mutex_test
