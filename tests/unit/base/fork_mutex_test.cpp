// SPDX-License-Identifier: Apache-2.0
// Tests ForkMutex. In a forked child it must be free, whatever mutexes other threads of the parent hold.
#include "base/fork_mutex.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "base/locked.h"

namespace ringfort {
namespace {

// Forks a child that locks the mutexes, and returns its exit status. If the child hangs, it is killed.
template <class Mutexes>
int status_of_child(const Mutexes& mutexes) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (const auto& mutex : mutexes) {
      mutex->lock();
      mutex->unlock();
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

std::vector<std::unique_ptr<ForkMutex>> some_mutexes() {
  std::vector<std::unique_ptr<ForkMutex>> mutexes;
  for (int i = 0; i < 3; ++i) {
    mutexes.push_back(std::make_unique<ForkMutex>(ForkMutex::Order::inner));
    mutexes.push_back(std::make_unique<ForkMutex>(ForkMutex::Order::outer));
  }
  mutexes.erase(mutexes.begin());  // the list of mutexes that fork() locks must forget this mutex
  return mutexes;
}

// With an ordinary mutex, nearly every child of this test hangs.
TEST(ForkMutex, IsFreeInAForkedChildWhateverOtherThreadsHold) {
  const auto mutexes = some_mutexes();
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const std::lock_guard outer(*mutexes[0]);  // locks an outer mutex, and then an inner mutex, as the library does
        const std::lock_guard inner(*mutexes[1]);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (int forks = 0; forks < 20; ++forks) EXPECT_EQ(status_of_child(mutexes), 0) << "fork " << forks;
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const auto& mutex : mutexes) {  // the mutexes of the parent must be free too
    const std::lock_guard lock(*mutex);
  }
}

TEST(ForkMutex, CanBeMadeAndDestroyedWhileOthersFork) {
  std::atomic<bool> stop = false;
  std::thread maker([&] {
    while (!stop) (void)some_mutexes();
  });
  const auto mutexes = some_mutexes();
  for (int forks = 0; forks < 20; ++forks) EXPECT_EQ(status_of_child(mutexes), 0) << "fork " << forks;
  stop = true;
  maker.join();
}

// The ForkMutex exists before the first secret. This order is what Python programs have.
[[noreturn]] void fork_while_a_thread_makes_secrets_under_a_mutex() {
  alarm(60);
  std::vector<std::unique_ptr<ForkMutex>> mutexes;
  mutexes.push_back(std::make_unique<ForkMutex>(ForkMutex::Order::innermost));
  std::atomic<bool> stop = false;
  std::thread maker([&] {
    while (!stop) {
      const std::lock_guard lock(*mutexes[0]);
      const LockedBytes one(page_bytes()), other(page_bytes());
    }
  });
  int failed = 0;
  for (int forks = 0; forks < 200; ++forks) failed += status_of_child(mutexes) != 0;
  stop = true;
  maker.join();
  _exit(failed == 0 ? 0 : 1);
}

TEST(ForkMutexDeathTest, IsLockedByForksBeforeTheMutexesOfSecretMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the function runs in a new process
  EXPECT_EXIT(fork_while_a_thread_makes_secrets_under_a_mutex(), testing::ExitedWithCode(0), "");
}

std::unique_ptr<ForkMutex> first;
std::atomic<bool> locked = false;
bool was_free = false;

// fork() calls the functions that were registered last first. Therefore the mutex is free during a function of a
// program, if the library registered its functions before.
void lock_the_first_mutex() {
  static std::thread& thread = *new std::thread([] {
    const std::lock_guard lock(*first);
    locked = true;
  });
  for (int i = 0; i < 5000 && !locked; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  was_free = locked;
  thread.detach();
}

// In the child of a fork, a registration that was under way during the fork would never end. Therefore no use of the
// library may register functions.
[[noreturn]] void fork_after_a_registration_of_the_program() {
  pthread_atfork(lock_the_first_mutex, nullptr, nullptr);
  first = std::make_unique<ForkMutex>(ForkMutex::Order::outer);
  if (fork() == 0) _exit(0);
  _exit(was_free ? 0 : 1);
}

TEST(ForkMutexDeathTest, RegistersItsFunctionsBeforeAnyFunctionOfTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fork_after_a_registration_of_the_program(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ringfort
