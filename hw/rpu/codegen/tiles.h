// SPDX-License-Identifier: Apache-2.0
// Divides a program whose data do not fit in the vector data memory into tiles. A tile is a range of blocks of the
// dataflow, and becomes a kernel. A word keeps the address that it would have in a large enough memory. Words form
// pages, and no load or store crosses the end of a page. The constants of the table get a new order: words that only
// one tile needs are contiguous. paging.h decides when a page is in memory. hw/rpu/README.md explains the terms.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

struct PageUse {
  u32 page = 0;
  bool writes = false;
};

struct ProgramTile {
  // operations on the plan's values; constants that earlier tiles have in registers are loaded again
  std::vector<std::vector<Operation>> blocks;
  std::vector<PageUse> pages;  // in ascending order
};

struct Tiling {
  u32 page_words = kVectorLength;
  std::vector<u128> table;   // constants; the first one is at word table_at of the plan
  std::vector<bool> filled;  // for each page: true if the program reads its initial words
  std::vector<ProgramTile> tiles;
};

struct TileLimits {
  u32 operations = 0;  // largest number of operations of a tile; one block may have more
  u32 words = 0;       // largest number of words that a tile accesses; one block may access more
};

[[nodiscard]] Tiling tiled(const Plan& plan, const TileLimits& limits);

}  // namespace ringfort::rpu
