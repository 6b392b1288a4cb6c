// SPDX-License-Identifier: Apache-2.0
// Headers of most rooms. In builds of the package, g++ parses them once (ringfort_headers). A source still includes
// what it uses: builds without the package do not have this file.
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
