// SPDX-License-Identifier: Apache-2.0
// Functions that hide secrets from a checker, which is valgrind's memcheck or MemorySanitizer. The checker treats
// hidden bytes, and everything computed from hidden bytes, as undefined. A branch on such a byte is a finding. An
// address computed from such a byte is a finding too. Neither checker reports that a division or a multiplication takes
// variable time. Divisions have their own check (tests/tools/test_divisions.py). Without a checker, the tests are
// skipped. A program that links this code draws its seeds from the operating system. Its secret seeds are hidden from
// the start.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

namespace ringfort::testing {

[[nodiscard]] bool is_checked() noexcept;
// false for MemorySanitizer, which treats results of other libraries as public
[[nodiscard]] bool follows_other_libraries() noexcept;
void hide(void* data, std::size_t bytes) noexcept;
void show(void* data, std::size_t bytes) noexcept;
[[nodiscard]] bool is_hidden(const void* data, std::size_t bytes) noexcept;
// Returns the number of findings so far. MemorySanitizer does not count findings: it prints each finding, and makes the
// program fail at its end.
[[nodiscard]] unsigned long findings() noexcept;
// Returns how many secret seeds were drawn.
[[nodiscard]] unsigned long secret_draws() noexcept;

template <class Values>
void hide_all(Values& values) noexcept {
  hide(values.data(), values.size() * sizeof values.data()[0]);
}
template <class Values>
void show_all(Values& values) noexcept {
  show(values.data(), values.size() * sizeof values.data()[0]);
}

// Test fixture. A test with a finding fails.
class OnSecrets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked()) GTEST_SKIP() << "run it under valgrind, or built for MemorySanitizer";
    before_ = findings();
  }
  void TearDown() override {
    EXPECT_EQ(findings(), before_) << "branches or addresses depend on a secret: the checker's report is above";
  }

 private:
  unsigned long before_ = 0;
};

}  // namespace ringfort::testing
