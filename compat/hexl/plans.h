// SPDX-License-Identifier: Apache-2.0
// Plans of element-wise verbs. HEXL's functions have no object that could keep a plan. Therefore the process keeps the
// plan of each (count, modulus), for at most kMostPlans pairs.
#pragma once

#include "ring/elementwise.h"

namespace ringfort::hexl {

inline constexpr std::size_t kMostPlans = 1024;

// Returns null if no device computes modulo q for `count` words, or if there are kMostPlans plans already. The object
// lives as long as the process.
[[nodiscard]] const Elementwise* plan_for(std::size_t count, u64 q);

}  // namespace ringfort::hexl
