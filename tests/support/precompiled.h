// SPDX-License-Identifier: Apache-2.0
// The compiler parses these headers once for most test programs (tests/CMakeLists.txt): the standard headers, and those
// of this library that take longest to parse and that many tests include. A test must still include the headers that it
// uses, because `./dev test --full` also makes a build without this file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "math/prime.h"
#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"
#include "ringfort/error.h"
#include "rlwe/ciphertext.h"
