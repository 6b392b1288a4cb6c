// SPDX-License-Identifier: Apache-2.0
// Divides the vector data memory into frames for the pages of a tiling (tiles.h). A frame is a place for one page. A
// page without a frame is in off-chip memory only. The order of the tiles is known. If a page needs a frame and no
// frame is empty, a page without a later use leaves its frame. If every page has a later use, the page whose next use
// is latest leaves its frame [Belady66]. A page of the result is stored as soon as it is complete. The outcome is a
// list of steps: loads of pages, stores of pages, and runs of tiles. A step waits only for the steps on which it
// depends. Therefore transfers for the next tiles overlap with the kernels. hw/rpu/README.md explains the terms.
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
  std::vector<u32> after;  // indices of the earlier steps for which it waits
};

struct Paging {
  std::vector<PageStep> steps;
  std::vector<std::map<u32, u32>> frames;  // for each tile: a map from its pages to their frames
};

// Returns the steps. After them, the pages `results` .. `results_end` - 1 are in off-chip memory. No tile may have more
// pages than `frames`.
[[nodiscard]] Paging paged(const Tiling& tiling, u32 frames, u32 results, u32 results_end);

}  // namespace ringfort::rpu
