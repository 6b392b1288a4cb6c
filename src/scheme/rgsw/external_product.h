// SPDX-License-Identifier: Apache-2.0
// RLWE x RGSW: (c0, c1) x C = sum_j digit_j(c0) C_j + sum_j digit_j(c1) C_(l+j), phase m * phase(c) + noise. In and out in the
// coefficient domain; C in the evaluation domain. 2 l forward and 2 inverse transforms.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// The product in the evaluation domain, in w.product or added to `sum`.
void product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit, Worker::State& w);

// w.accumulator <- w.accumulator x bit where wanted, else acc - acc x bit, which is acc x (1 - bit) with the same noise.
// The accumulator's memory and the product's may change places.
void select(Slice<Eval> bit, bool wanted, Worker::State& w);

}  // namespace ringfort::rgsw
