// SPDX-License-Identifier: Apache-2.0
// What the operations on Bits share: checks of operands, and a result that was refused if its bound is gone.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

void require_equal_sizes(const Bits::State& a, const Bits::State& b);

// An unfilled batch like `a` with the stated plaintext range and noise; throws noise_bound_exceeded.
[[nodiscard]] Bits make_result(const Bits::State& a, Worker::State& worker, i64 low, i64 high, double deviation);

}  // namespace ringfort::rgsw
