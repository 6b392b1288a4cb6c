// SPDX-License-Identifier: Apache-2.0
// The breakdown rules: recipes of the forward transform, natural order in. Those of the inverse are their mirror
// images.
#pragma once

#include "codegen/recipe.h"

namespace ringfort::rpu {

inline constexpr u32 kBlockBits = 5;  // 32 vectors, half of the registers
// In a first pass without lane stages: as much as the load-store pipe leaves time for.
inline constexpr u32 kFirstExposures = 2;
inline constexpr u32 kPairBit = kLaneBits - kFirstExposures;  // the last bit that comes out in such a pass

// The paper's: the constant-geometry transform [Pease68, KornLambiotte79] as [Soni23, Section V] uses it, with blocks
// ("rectangles") of 16 vectors. Every stage but the last is followed by UNPKLO and UNPKHI; the last stores with
// stride 2. Canonical order.
[[nodiscard]] Recipe pease(u32 bits);

// As few shuffles as the canonical order allows. Only a stage on a lane bit needs one: the upper stages combine whole
// vectors, with one root each, broadcast; then every pair of vectors goes through the lane stages by itself, and the
// last one stores with stride 2. Above 32 vectors: two passes, of which the second has the lower half of the vector
// bits. A twist lets all rows of 2^twist coefficients share the roots of the later stages, at the cost of a
// multiplication for each vector; without it (0) each pair loads its own. It comes before the second pass's stages, or
// at a lane stage.
[[nodiscard]] Recipe split(u32 bits, u32 twist);
[[nodiscard]] u32 split_border(u32 bits);  // the second pass's stages are those below it

// In private order, one pass: exposures come as early as they can, so that finished bits stand in the lanes and a stage
// has few different roots. The evaluations stay where the bits have come to stand: the order is the last pass's
// `after`.
[[nodiscard]] Recipe early(u32 bits, bool lazy);

// In private order, several passes: all but the last one, whose shuffle pipe is idle otherwise, do `stages[p]` stages
// and expose two of the nine lane bits; in the last one every pair of vectors goes through the lane stages by itself,
// with a twist as above.
[[nodiscard]] Recipe paired(u32 bits, const std::vector<u32>& stages, u32 twist);

// For memories in which every stride is free of bank conflicts (bank_hash=xor). One pass: as `early`, the last stride
// brings the canonical order. Above 32 vectors three, whose pipes are in balance: the first exposes one bit by
// shuffles, the second `shuffled` of its four, so that it has fewer different roots to load, and the others by its
// stride.
[[nodiscard]] Recipe strided(u32 bits, u32 shuffled);

}  // namespace ringfort::rpu
