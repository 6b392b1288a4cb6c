// SPDX-License-Identifier: Apache-2.0
// Tests LockedBytes, the memory of secrets. It must be locked, omitted from core dumps, zeroed, reused and guarded. If
// the system locks no memory, LockedBytes must work all the same, and the library must report it.
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "base/locked.h"
#include "base/secret.h"
#include "ringfort/secret_memory.h"
#include "support/mappings.h"

namespace ringfort {
namespace {

using testing::flags_of_mapping;

// Tells whether mlock is the function of the system. Sanitizers replace it by a function that reports success and locks
// nothing.
bool mlock_is_the_systems() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool refused = mlock(page, 4096) != 0, locked = flags_of_mapping(page).find(" lo ") != std::string::npos;
  munmap(page, 4096);
  return refused || locked;
}

// Runs the body in a child process, because an unprivileged process cannot raise a lowered limit.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    // root may lock more memory than the limit, so the child becomes another user
    if (geteuid() == 0 && (setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(LockedBytes, AreZeroLockedAndLeftOutOfCoreDumps) {
  const LockedBytes bytes(10000);
  ASSERT_EQ(bytes.size(), 10000u);
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(static_cast<const unsigned char*>(bytes.data())[i], 0);
  const std::string flags = flags_of_mapping(bytes.data());
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
  if (secret_memory_is_locked() && mlock_is_the_systems()) {
    EXPECT_NE(flags.find(" lo "), std::string::npos) << flags;
  }
}

TEST(LockedBytes, OfNoBytesHoldNone) {
  const LockedBytes bytes(0);
  EXPECT_EQ(bytes.data(), nullptr);
}

TEST(LockedBytes, MoveLeavesNothing) {
  LockedBytes from(64);
  const void* address = from.data();
  const LockedBytes to(std::move(from));
  EXPECT_EQ(to.data(), address);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move): the moved-from state is the test
}

TEST(LockedBytes, OfTheSameSizeUseThePagesAgainAndFindThemZeroed) {
  const void* address = nullptr;
  {
    LockedBytes first(20000);
    address = first.data();
    std::memset(first.data(), 7, first.size());
  }
  const LockedBytes second(20480);  // has as many pages as the buffer `first`
  EXPECT_EQ(second.data(), address);
  for (std::size_t i = 0; i < second.size(); ++i) ASSERT_EQ(static_cast<const unsigned char*>(second.data())[i], 0);
  const std::string flags = flags_of_mapping(second.data());
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
  if (secret_memory_is_locked() && mlock_is_the_systems()) {
    EXPECT_NE(flags.find(" lo "), std::string::npos) << flags;
  }
}

TEST(LockedBytes, LeaveAtMost16MiBOfSparePages) {
  release_spare_pages();
  {
    std::vector<LockedBytes> many;
    for (int i = 0; i < 40; ++i) many.emplace_back(std::size_t{1} << 20);
  }
  EXPECT_EQ(release_spare_pages(), std::size_t{16} << 20);
  EXPECT_EQ(release_spare_pages(), 0u);
  { const LockedBytes large(std::size_t{17} << 20); }
  EXPECT_EQ(release_spare_pages(), 0u) << "an array that is larger than all spare pages together";
  {
    std::vector<LockedBytes> many;
    for (int i = 0; i < 100; ++i) many.emplace_back(4096);
  }
  EXPECT_EQ(release_spare_pages(), 64u * 4096);
}

TEST(LockedBytes, ThreadsShareSparePages) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 500; ++i) {
        const Secret<int> zeroed(static_cast<std::size_t>(1024 * (1 + i % 5)));
        Secret<int> own(static_cast<std::size_t>(1024 * (1 + i % 5)));
        wrong += std::any_of(zeroed.span().begin(), zeroed.span().end(), [](int x) { return x != 0; }) ? 1 : 0;
        std::fill(own.span().begin(), own.span().end(), t);
        std::this_thread::yield();
        wrong += std::any_of(own.span().begin(), own.span().end(), [t](int x) { return x != t; }) ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(LockedBytesDeathTest, StopAnOverrunAtAGuardPage) {
  LockedBytes bytes(8192);
  auto* const data = static_cast<volatile char*>(bytes.data());
  data[0] = 1;
  data[8191] = 1;
  EXPECT_DEATH(data[8192] = 1, "");
  EXPECT_DEATH(data[-1] = 1, "");
}

TEST(LockedBytes, GiveSparePagesBackBeforeALockIsRefused) {
  if (!mlock_is_the_systems()) GTEST_SKIP() << "a sanitizer replaces mlock";
  EXPECT_EQ(in_child([] {
              const rlimit little{1 << 16, 1 << 16};
              if (release_spare_pages() == 0 && !secret_memory_is_locked()) return false;
              if (munlockall() != 0 || setrlimit(RLIMIT_MEMLOCK, &little) != 0) return false;
              { const LockedBytes spare(48 << 10); }
              const LockedBytes other(40 << 10);  // the two sizes together exceed the limit
              return secret_memory_is_locked();
            }),
            0);
}

TEST(LockedBytes, WorkAndReportItIfTheSystemLocksNothing) {
  if (!mlock_is_the_systems()) GTEST_SKIP() << "a sanitizer replaces mlock";
  EXPECT_EQ(in_child([] {
              const rlimit none{0, 0};
              if (!secret_memory_is_locked() || setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              // No other test uses this size. Therefore no spare pages of another test are reused. Such pages would be
              // locked.
              LockedBytes bytes(50000);
              std::memset(bytes.data(), 7, bytes.size());
              const bool left_out = flags_of_mapping(bytes.data()).find(" dd ") != std::string::npos;
              return left_out && !secret_memory_is_locked();
            }),
            0);
}

TEST(LockedBytes, AForkedProcessLocksItsCopyOrSaysThatItCouldNot) {
  if (!mlock_is_the_systems() || !secret_memory_is_locked()) GTEST_SKIP() << "the system locks no memory";
  const LockedBytes bytes(10000);
  const Secret<int> secret(100);
  { const LockedBytes gone(4096); }
  const auto locked = [](const void* data) { return flags_of_mapping(data).find(" lo ") != std::string::npos; };
  EXPECT_TRUE(locked(bytes.data()) && locked(secret.data()));
  const pid_t child = fork();
  if (child == 0) _exit(secret_memory_is_locked() && locked(bytes.data()) && locked(secret.data()) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const rlimit none{0, 0};
  EXPECT_EQ(in_child([&] {  // the child of this child may lock no memory
              if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              const pid_t second = fork();
              if (second == 0) _exit(secret_memory_is_locked() ? 1 : 0);
              int found = -1;
              waitpid(second, &found, 0);
              return found == 0;
            }),
            0);
}

TEST(LockedBytes, AFailedLockOfASecretIsReported) {
  if (!mlock_is_the_systems()) GTEST_SKIP() << "a sanitizer replaces mlock";
  EXPECT_EQ(in_child([] {
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              const Secret<int> secret(100);
              return !secret_memory_is_locked();
            }),
            0);
}

// libsodium runs the handler of misuse under the mutex that its sodium_init() locks.
[[noreturn]] void fork_while_a_thread_holds_the_mutex_of_libsodium() {
  static std::atomic<bool> is_locked = false;
  sodium_set_misuse_handler([] {
    is_locked = true;
    for (;;) pause();
  });
  std::thread(sodium_misuse).detach();
  while (!is_locked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(Secret<std::uint8_t>(16).size() == 16 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  _exit(status == 0 ? 0 : 1);
}

TEST(SecretDeathTest, IsMadeInAForkedChildAlthoughAnotherThreadHeldTheMutexOfLibsodium) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the function runs in a new process
  EXPECT_EXIT(fork_while_a_thread_holds_the_mutex_of_libsodium(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ringfort
