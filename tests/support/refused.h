// SPDX-License-Identifier: Apache-2.0
// Checks the error that a call throws: its code and its advice.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ringfort/error.h"

namespace ringfort::testing {

// Returns the error that `f` throws. The error must contain advice (`fix`).
template <class F>
Error refusal(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_FALSE(e.fix().empty()) << e.what();
    return e;
  }
  return {Code::internal, "nothing was refused"};
}

// Returns the code of the error that `f` throws, or Code::internal if it throws none. The error may have no advice, as
// those of decoders.
template <class F>
Code code_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_FALSE(e.problem().empty());
    return e.code();
  }
  return Code::internal;
}

inline bool says(const Error& e, std::string_view text) {
  return std::string_view(e.what()).find(text) != std::string_view::npos;
}

template <class F>
void expect_refused(Code code, F f, std::string_view advice) {
  const Error e = refusal(f);
  EXPECT_EQ(e.code(), code) << e.what();
  EXPECT_TRUE(says(e, advice)) << e.what();
}

}  // namespace ringfort::testing
