// SPDX-License-Identifier: Apache-2.0
// The macros of HEXL's log, which this library does not write.
#pragma once

#include <algorithm>
#include <vector>

#include "hexl/util/defines.hpp"

#define HEXL_VLOG(N, rest) \
  {}
#define START_EASYLOGGINGPP(X, Y) \
  {}
