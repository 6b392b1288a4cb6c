// SPDX-License-Identifier: Apache-2.0
// Cuts a program that exceeds the vector data memory into tiles: ranges of blocks, each a separate kernel. Words are
// numbered as if the memory held all words, in pages that no load or store crosses. The table is laid out anew, so that
// words that only one tile needs are contiguous. paging.h decides when a page is in memory.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

struct PageUse {
  u32 page = 0;
  bool writes = false;
};

struct ProgramTile {
  std::vector<std::vector<Operation>> blocks;  // on the plan's values; constants of earlier tiles are loaded again
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
