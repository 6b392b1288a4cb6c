// SPDX-License-Identifier: Apache-2.0
// The paper's breakdown rule: the constant-geometry transform [Pease68, KornLambiotte79] as [Soni23, Section V] uses it.
// Before stage s the coefficient with index i stands at position rotl(i, s); a stage combines positions j and j + n/2
// with the root 2^s + (j mod 2^s) and interleaves the results to 2 j and 2 j + 1, so that after log2(n) stages every
// index is back at its own position: natural order in, bit-reversed evaluations out.
// In vectors of 512: a butterfly, then UNPKLO and UNPKHI; the last stage stores with stride 2 instead. Blocks
// ("rectangles") of 2^depth vectors go through depth stages in registers; each pass over the memory changes the buffer.
#pragma once

#include "codegen/dataflow.h"

namespace ringfort::rpu {

// Word addresses; each buffer has n words, the roots n words as of root_powers.
struct TransformLayout {
  u32 n = 0;
  u32 input = 0;
  u32 work = 0;
  u32 roots = 0;
};

inline constexpr u32 kRectangleDepth = 4;  // 16 vectors: the paper's largest transform in registers has 8K = 16 vectors

// Number of passes; the result stands in `input` after an even number, in `work` after an odd one.
[[nodiscard]] u32 pease_passes(u32 n) noexcept;

[[nodiscard]] Dataflow pease(const TransformLayout& layout);

}  // namespace ringfort::rpu
