// SPDX-License-Identifier: Apache-2.0
// A program whose words outgrow the vector data memory, cut into tiles: runs of blocks, each a kernel of its own. Its
// words are numbered as if the memory held them all, in pages that no load or store crosses; the table is laid out
// anew, so that what one tile alone needs stands together. Which pages are in the memory when is paging.h's.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

struct PageUse {
  u32 page = 0;
  bool writes = false;
};

struct Tile {
  std::vector<std::vector<Operation>> blocks;  // on the values of the plan; constants of earlier tiles loaded again
  std::vector<PageUse> pages;                  // in ascending order
};

struct Tiling {
  u32 page_words = kVectorLength;
  std::vector<u128> table;   // from the plan's table_at on
  std::vector<bool> filled;  // by page: what it holds at first is loaded before it is overwritten
  std::vector<Tile> tiles;
};

struct TileLimits {
  u32 operations = 0;  // of a tile; one block may have more
  u32 words = 0;       // that it touches; likewise
};

[[nodiscard]] Tiling tiled(const Plan& plan, const TileLimits& limits);

}  // namespace ringfort::rpu
