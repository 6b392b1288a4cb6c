// SPDX-License-Identifier: Apache-2.0
// Chunks for kernels that compute each coefficient independently. A chunk is the work of one block: neighbouring
// coefficients of one limb of one polynomial. Neighbouring lanes take neighbouring coefficients. Therefore a warp (32
// neighbouring lanes) uses every word of the sectors (32 bytes of memory) that it loads and stores. This header needs
// no standard library.
#pragma once

#include "backend/device/grid.h"
#include "backend/device/kernels/limb.h"

namespace ringfort::device {

inline constexpr u32 kChunkLog = 10, kChunkLanesLog = 8;  // log2 of a block's most coefficients and most lanes

struct Chunks {  // the chunks of a batch
  u32 polynomials, log_n;
  [[nodiscard]] constexpr u32 log() const { return log_n < kChunkLog ? log_n : kChunkLog; }
  [[nodiscard]] constexpr u32 lanes_log() const { return log_n < kChunkLanesLog ? log_n : kChunkLanesLog; }
  [[nodiscard]] constexpr Grid grid(u32 limbs) const {
    return {(polynomials * limbs) << (log_n - log()), 1u << lanes_log(), 0};
  }
};

struct Chunk {
  Unit unit;
  u32 first, count;  // first coefficient, and number of coefficients
  constexpr Chunk(u32 block, const Chunks& of) : unit(), first(), count(1u << of.log()) {
    const u32 per_limb_log = of.log_n - of.log();
    unit = unit_of(block >> per_limb_log, of.polynomials);
    first = (block & ((1u << per_limb_log) - 1)) << of.log();
  }
  // Calls f(coefficient) for every coefficient of the lane.
  template <class Team, class F>
  constexpr void for_own(Team& team, u32 lane, F f) const {
    for (u32 i = lane; i < count; i += team.lanes()) f(first + i);
  }
};

}  // namespace ringfort::device
