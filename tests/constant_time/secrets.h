// SPDX-License-Identifier: Apache-2.0
// Marks secrets for a checker (valgrind's memcheck or MemorySanitizer): the checker treats their bytes, and everything
// computed from them, as undefined. A branch on such a byte, or an address computed from one, is a finding. Neither
// checker reports the variable time of a division or a multiplication; divisions have their own check
// (tests/tools/test_divisions.py). Without a checker the tests are skipped. A program that links this draws its seeds
// from the operating system, and secret seeds are hidden from the start.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

namespace ringfort::testing {

[[nodiscard]] bool is_checked() noexcept;
[[nodiscard]] bool follows_other_libraries() noexcept;  // MemorySanitizer takes their results as public
void hide(void* data, std::size_t bytes) noexcept;
void show(void* data, std::size_t bytes) noexcept;
[[nodiscard]] bool is_hidden(const void* data, std::size_t bytes) noexcept;
// Returns the number of findings so far. MemorySanitizer does not count: it prints them and fails the program at its
// end.
[[nodiscard]] unsigned long findings() noexcept;
// Returns the number of secret seeds drawn.
[[nodiscard]] unsigned long secret_draws() noexcept;

template <class Values>
void hide_all(Values& values) noexcept {
  hide(values.data(), values.size() * sizeof values.data()[0]);
}
template <class Values>
void show_all(Values& values) noexcept {
  show(values.data(), values.size() * sizeof values.data()[0]);
}

// Test fixture that fails a test with a finding.
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
