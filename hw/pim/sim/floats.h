// SPDX-License-Identifier: Apache-2.0
// Simulates the vendor's run-time routines for floating point: float and double of IEEE 754, rounded to nearest, ties
// to even. The host's floating-point unit computes the values, because its results are the same. The costs are those of
// the vendor's routines. They are calculated from published throughputs [GomezLuna22].
#pragma once

#include "../sdk/dpu/dpu_isa.h"
#include "words.h"

namespace ringfort::pim {

inline bool is_float_call(u32 which) { return which >= kDpuAddF32 && which <= kDpuF64ToF32; }

}  // namespace ringfort::pim
