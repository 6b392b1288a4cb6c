// SPDX-License-Identifier: Apache-2.0
// Secrets that a checker knows: their bytes are undefined to valgrind's memcheck, or to MemorySanitizer, and so is all
// that is computed from them; a branch on one, or an address made of one, is a finding. Neither checker reports what a
// division or a multiplication takes: divisions have a check of their own (tests/tools/test_divisions.py). Without a
// checker the tests are skipped. A program with this file draws the operating system's seeds, secret ones hidden from
// the start.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

namespace ringfort::testing {

[[nodiscard]] bool is_checked() noexcept;
[[nodiscard]] bool follows_other_libraries() noexcept;  // MemorySanitizer takes what they write for known
void hide(void* data, std::size_t bytes) noexcept;
void show(void* data, std::size_t bytes) noexcept;
[[nodiscard]] bool is_hidden(const void* data, std::size_t bytes) noexcept;
// So far; MemorySanitizer does not count, it shows them and fails the program at its end.
[[nodiscard]] unsigned long findings() noexcept;
// Secret seeds that were drawn.
[[nodiscard]] unsigned long secret_draws() noexcept;

template <class Values>
void hide_all(Values& values) noexcept {
  hide(values.data(), values.size() * sizeof values.data()[0]);
}
template <class Values>
void show_all(Values& values) noexcept {
  show(values.data(), values.size() * sizeof values.data()[0]);
}

// What a test did without a finding.
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
