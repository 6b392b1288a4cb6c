// SPDX-License-Identifier: Apache-2.0
// Breakdown rules of the forward transform. A rule divides a transform into passes and stages, and returns them as a
// recipe. recipe.h explains the parts of a recipe and the steps, such as expose. hw/rpu/README.md explains the other
// terms. The input is in natural order. The recipe of an inverse transform is the mirror image of a forward recipe.
#pragma once

#include "codegen/recipe.h"

namespace ringfort::rpu {

inline constexpr u32 kBlockBits = 5;  // 32 vectors, half of the registers
// Number of bits that a pass other than the last one exposes (recipe.h). With two bits, the shuffles of the pass take
// no longer than its loads and stores.
inline constexpr u32 kFirstExposures = 2;

// The rule of the paper: the constant-geometry transform [Pease68, KornLambiotte79], whose stages all move data in the
// same way, as in [Soni23, Section V], with blocks of 16 vectors ("rectangles"). UNPKLO and UNPKHI follow every stage
// except the last one. The last stage stores with stride 2. Evaluations are in the canonical order.
[[nodiscard]] Recipe pease(u32 bits);

// The rule with the fewest shuffles for the canonical order: only a stage on an element bit needs a shuffle. The stages
// on higher bits combine whole vectors, and all elements of such a butterfly use the same root, which is broadcast.
// Then each pair of vectors runs the element stages without other vectors, and the last stage stores with stride 2.
// Transforms of more than 32 vectors have two passes. The second pass has the stages on the lower half of the vector
// bits and on all element bits. `twist` is the number k of a step `twist k` (recipe.h). This step multiplies each
// vector once; afterwards all groups of 2^k successive coefficients use the same roots. The step is before the stages
// of the second pass, or after the stage on bit k. If `twist` is 0, there is no such step, and each pair loads its own
// roots.
[[nodiscard]] Recipe split(u32 bits, u32 twist);
[[nodiscard]] u32 split_border(u32 bits);  // Returns the border: the second pass has the stages on bits below it.

// The rule for one pass in private order. A bit is exposed as soon as its stage is done. The root of a butterfly
// depends only on the bits whose stages are done. These bits then select elements, so that one vector of roots serves
// many butterflies. Evaluations are stored without a permutation: their order is `after` of the last pass. If `lazy` is
// true, each exposure is one stage later.
[[nodiscard]] Recipe early(u32 bits, bool lazy);

// The rule for several passes in private order. Pass p, unless it is the last one, has `stages[p]` stages. It exposes
// two bits, which replace two of the nine element bits. Without these shuffles, the shuffle pipe would be idle in such
// a pass. In the last pass each pair of vectors runs the element stages without other vectors. `twist` has the meaning
// that it has in `split`.
[[nodiscard]] Recipe paired(u32 bits, const std::vector<u32>& stages, u32 twist);

// The rule for memories without bank conflicts at any stride (bank_hash=xor). A transform of up to 32 vectors has one
// pass, like `early`, and stores with a stride into the canonical order. A larger transform has three passes, which use
// the pipes evenly. The first pass exposes one bit by shuffles. The second pass exposes `shuffled` of its four bits by
// shuffles, so that it loads fewer different roots; the stride of its stores exposes the other bits.
[[nodiscard]] Recipe strided(u32 bits, u32 shuffled);

}  // namespace ringfort::rpu
