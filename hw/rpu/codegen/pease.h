// SPDX-License-Identifier: Apache-2.0
// The paper's breakdown rule: the constant-geometry transform [Pease68, KornLambiotte79] as [Soni23, Section V] uses it.
// Before stage s the coefficient with index i stands at position rotl(i, s); a stage combines positions j and j + n/2
// with the root 2^s + (j mod 2^s) and interleaves the results to 2 j and 2 j + 1, so that after log2(n) stages every
// index is back at its own position: natural order in, bit-reversed evaluations out.
// In vectors of 512: a butterfly, then UNPKLO and UNPKHI; the last stage stores with stride 2 instead. Blocks
// ("rectangles") of 2^depth vectors go through depth stages in registers; each pass over the memory changes the buffer.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

inline constexpr u32 kRectangleDepth = 4;  // 16 vectors: the paper's largest transform in registers has 8K = 16 vectors

[[nodiscard]] u32 pease_passes(u32 n) noexcept;

// The other buffer stands in the words n .. 2n - 1, the roots behind it.
[[nodiscard]] TransformPlan pease(const TransformField& field, u32 n);

}  // namespace ringfort::rpu
