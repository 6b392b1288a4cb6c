// SPDX-License-Identifier: Apache-2.0
// Headers that most rooms (source folders) include. In builds of the Python package, g++ parses them once (the target
// ringfort_headers). Builds without the package do not use this file. Therefore a source still includes all that it
// uses.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ring/poly.h"
