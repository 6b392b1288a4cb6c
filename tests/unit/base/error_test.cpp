// SPDX-License-Identifier: Apache-2.0
// Tests the codes of errors, the names of codes, the messages of errors, and Result.
#include "ringfort/error.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "base/result.h"

namespace ringfort {
namespace {

TEST(Error, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  const unsigned count = static_cast<unsigned>(Code::internal) + 1;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name(code_name(static_cast<Code>(i)));
    EXPECT_FALSE(name.empty()) << "code " << i;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << name;
    EXPECT_TRUE(names.insert(name).second) << "code " << i << " repeats " << name;
  }
  EXPECT_EQ(names.size(), count);
}

// If a code were inserted in the middle of the enumeration, but not in the table of names, all later names would be
// shifted.
TEST(Error, NamesStandInTheOrderOfTheCodes) {
  EXPECT_EQ(code_name(Code::invalid_argument), "invalid_argument");
  EXPECT_EQ(code_name(Code::noise_bound_exceeded), "noise_bound_exceeded");
  EXPECT_EQ(code_name(Code::mode_forbidden), "mode_forbidden");
  EXPECT_EQ(code_name(Code::secret_refused), "secret_refused");
  EXPECT_EQ(code_name(Code::out_of_memory), "out_of_memory");
  EXPECT_EQ(code_name(Code::unsupported), "unsupported");
  EXPECT_EQ(code_name(Code::entropy_unavailable), "entropy_unavailable");
  EXPECT_EQ(code_name(Code::io_open), "io_open");
  EXPECT_EQ(code_name(Code::io_truncated), "io_truncated");
  EXPECT_EQ(code_name(Code::io_checksum), "io_checksum");
  EXPECT_EQ(code_name(Code::io_limit), "io_limit");
  EXPECT_EQ(code_name(Code::passphrase), "passphrase");
  EXPECT_EQ(code_name(Code::internal), "internal");
}

TEST(Error, AnUnknownCodeIsCalledInternal) { EXPECT_EQ(code_name(static_cast<Code>(9999)), "internal"); }

TEST(Error, MessageJoinsProblemAndFix) {
  const Error with_fix(Code::key_missing, "no key", "give one");
  EXPECT_STREQ(with_fix.what(), "no key; give one");
  EXPECT_EQ(with_fix.problem(), "no key");
  EXPECT_EQ(with_fix.fix(), "give one");
  EXPECT_EQ(with_fix.code(), Code::key_missing);
  EXPECT_STREQ(Error(Code::internal, "no key").what(), "no key");
}

TEST(Result, HoldsTheValueItWasGiven) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result.value(), 7);
  EXPECT_EQ(*std::move(result).take(), 7);
}

TEST(Result, TakeOfAFailureThrowsIt) {
  Result<int> result(Failure{Code::io_magic, "wrong magic", "give a ringfort file"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.failure().code, Code::io_magic);
  try {
    static_cast<void>(std::move(result).take());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io_magic);
    EXPECT_STREQ(error.what(), "wrong magic; give a ringfort file");
  }
}

}  // namespace
}  // namespace ringfort
