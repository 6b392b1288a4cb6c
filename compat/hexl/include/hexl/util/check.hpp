// SPDX-License-Identifier: Apache-2.0
// Checks of arguments. The macros have the names of HEXL's, and are empty, as in HEXL's release builds. The functions
// of this interface check their arguments in every build, by refuse_unless().
#pragma once

#include <stdint.h>

#include <stdexcept>

#include "hexl/util/types.hpp"

#define HEXL_CHECK(cond, expr) \
  {}
#define HEXL_CHECK_BOUNDS(...) \
  {}

namespace intel {
namespace hexl {
namespace ringfort_checks {

// Throws ringfort::Error (invalid_argument) with this text. `fix` says which arguments are legal.
[[noreturn]] void refuse(const char* problem, const char* fix);

inline void refuse_unless(bool legal, const char* problem, const char* fix) {
  if (!legal) refuse(problem, fix);
}

}  // namespace ringfort_checks
}  // namespace hexl
}  // namespace intel
