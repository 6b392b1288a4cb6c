// SPDX-License-Identifier: Apache-2.0
// The breakdown rules: each returns a recipe of the forward transform, whose input is in natural order. The inverse
// recipes are the mirror images (recipe.h).
#pragma once

#include "codegen/recipe.h"

namespace ringfort::rpu {

inline constexpr u32 kBlockBits = 5;  // 32 vectors, half of the registers
// Number of element bits that a pass before the last one exposes. The shuffles of such a pass take no longer than its
// loads and stores.
inline constexpr u32 kFirstExposures = 2;
inline constexpr u32 kPairBit =
    kElementBits - kFirstExposures;  // the lowest bit that leaves the element bits in a first pass

// Returns the paper's rule: the constant-geometry transform [Pease68, KornLambiotte79] as in [Soni23, Section V], with
// blocks ("rectangles") of 16 vectors. UNPKLO and UNPKHI follow every stage but the last, which stores with stride 2.
// Evaluations are in the canonical order.
[[nodiscard]] Recipe pease(u32 bits);

// Returns the rule with the fewest shuffles for the canonical order: only a stage on an element bit needs a shuffle.
// The upper stages combine whole vectors, and each uses one broadcast root. Then every pair of vectors runs the element
// stages separately, and the last stage stores with stride 2. Above 32 vectors there are two passes; the second pass
// has the stages on the lower half of the vector bits and on all element bits. A twist takes one multiplication per
// vector; after the twist, all rows of 2^twist coefficients use the same roots. The twist is before the stages of the
// second pass, or after an element stage. Without a twist (0), each pair loads its own roots.
[[nodiscard]] Recipe split(u32 bits, u32 twist);
[[nodiscard]] u32 split_border(u32 bits);  // the second pass has the stages on bits below the border

// Returns the rule for one pass in private order. It exposes each bit as soon as its stage is done, so that finished
// bits select elements and a stage needs few different roots. Evaluations are stored without a permutation, so their
// order is the last pass's `after`. If `lazy`, each exposure waits for one more stage.
[[nodiscard]] Recipe early(u32 bits, bool lazy);

// Returns the rule for several passes in private order. Pass p, if it is not the last, has `stages[p]` stages and
// exposes two of the nine element bits, because the shuffle pipe would otherwise be idle. In the last pass each pair of
// vectors goes through the element stages by itself, with a twist as in `split`.
[[nodiscard]] Recipe paired(u32 bits, const std::vector<u32>& stages, u32 twist);

// Returns the rule for memories without bank conflicts at any stride (bank_hash=xor). Up to 32 vectors there is one
// pass as in `early`, which stores with a stride into the canonical order. Above 32 there are three passes, which use
// the pipes evenly. The first pass exposes one bit by shuffles. The second pass exposes `shuffled` of its four bits by
// shuffles, so that it loads fewer different roots, and the other bits by the stride of its stores.
[[nodiscard]] Recipe strided(u32 bits, u32 shuffled);

}  // namespace ringfort::rpu
