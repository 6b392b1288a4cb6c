// SPDX-License-Identifier: Apache-2.0
// Divides the vector data memory into frames for the pages of a tiling. The order of tiles is known. Pages without a
// next use are removed first, then the page whose next use is latest [Belady66]. A page of the result is stored as soon
// as it is complete. The result is a list of steps: loads and stores of pages, and runs of tiles. A step waits only for
// the steps on which it depends. Therefore transfers for the next tiles overlap kernels.
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

// Returns the steps. After them the pages from `results` to before `results_end` are in off-chip memory. No tile may
// have more pages than `frames`.
[[nodiscard]] Paging paged(const Tiling& tiling, u32 frames, u32 results, u32 results_end);

}  // namespace ringfort::rpu
