// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/locked.h"
#include "base/secret.h"
#include "ringfort/secret_memory.h"
#include "support/mappings.h"

namespace ringfort {
namespace {

using testing::flags_of_mapping;

// Tells whether mlock is the system's. Sanitizers replace it by one that reports success and locks nothing.
bool mlock_is_the_systems() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool refused = mlock(page, 4096) != 0, locked = flags_of_mapping(page).find(" lo ") != std::string::npos;
  munmap(page, 4096);
  return refused || locked;
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
  const void* place = from.data();
  const LockedBytes to(std::move(from));
  EXPECT_EQ(to.data(), place);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move): the moved-from state is the test
}

// Runs the body in a child process, because an unprivileged process cannot raise a limit again.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    // root may lock memory whatever the limit
    if (geteuid() == 0 && (setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(LockedBytes, WorkWhereTheSystemLocksNothingAndSayIt) {
  if (!mlock_is_the_systems()) GTEST_SKIP() << "a sanitizer replaces mlock";
  EXPECT_EQ(in_child([] {
              const rlimit none{0, 0};
              if (!secret_memory_is_locked() || setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              LockedBytes bytes(10000);
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
  EXPECT_EQ(in_child([&] {  // this child's own child may lock nothing
              if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              const pid_t second = fork();
              if (second == 0) _exit(secret_memory_is_locked() ? 1 : 0);
              int found = -1;
              waitpid(second, &found, 0);
              return found == 0;
            }),
            0);
}

TEST(LockedBytes, ARefusalForASecretIsSaid) {
  if (!mlock_is_the_systems()) GTEST_SKIP() << "a sanitizer replaces mlock";
  EXPECT_EQ(in_child([] {
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
              const Secret<int> secret(100);
              return !secret_memory_is_locked();
            }),
            0);
}

}  // namespace
}  // namespace ringfort
