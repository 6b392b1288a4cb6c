// SPDX-License-Identifier: Apache-2.0
// Cuts a program whose data does not fit in the vector data memory into tiles. A tile is a range of blocks, and becomes
// a kernel. Words keep the addresses that they would have in a large enough memory; they form pages, and no load or
// store crosses the end of a page. The table gets a new order, so that words that only one tile needs are contiguous.
// paging.h decides when a page is in memory.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

struct PageUse {
  u32 page = 0;
  bool writes = false;
};

struct ProgramTile {
  std::vector<std::vector<Operation>> blocks;  // on the plan's values; loads constants of earlier tiles again
  std::vector<PageUse> pages;                  // in ascending order
};

struct Tiling {
  u32 page_words = kVectorLength;
  std::vector<u128> table;   // from the plan's table_at on
  std::vector<bool> filled;  // for each page: whether the program reads its initial words
  std::vector<ProgramTile> tiles;
};

struct TileLimits {
  u32 operations = 0;  // per tile; one block may have more
  u32 words = 0;       // touched per tile; one block may touch more
};

[[nodiscard]] Tiling tiled(const Plan& plan, const TileLimits& limits);

}  // namespace ringfort::rpu
