// SPDX-License-Identifier: Apache-2.0
// The vector data memory as frames for the pages of a tiling. The order of tiles is known, so that each page leaves
// that is needed latest of all [Belady66]; what is not needed any more leaves first, a result as soon as it is whole.
// The steps wait for each other where they must and nowhere else: transfers for the next tiles hide behind kernels.
#pragma once

#include <map>

#include "codegen/tiles.h"

namespace ringfort::rpu {

struct PageMove {
  u32 page = 0;
  u32 frame = 0;
};

enum class PageStepKind : u8 { load, store, run };

struct PageStep {
  PageStepKind kind = PageStepKind::run;
  u32 tile = 0;
  std::vector<PageMove> moves;
  std::vector<u32> after;  // indices of earlier steps
};

struct Paging {
  std::vector<PageStep> steps;
  std::vector<std::map<u32, u32>> frames;  // by tile: the frame of each of its pages
};

// The pages from `results` up to `results_end` are in off-chip memory afterwards. No tile has more pages than `frames`.
[[nodiscard]] Paging paged(const Tiling& tiling, u32 frames, u32 results, u32 results_end);

}  // namespace ringfort::rpu
