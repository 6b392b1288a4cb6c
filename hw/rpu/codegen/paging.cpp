// SPDX-License-Identifier: Apache-2.0
// Makes the steps for one tile after another: stores pages to free their frames, loads the pages of the tile, runs the
// tile, and stores result pages that are complete.
#include "codegen/paging.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

namespace ringfort::rpu {
namespace {

constexpr u32 kNever = ~0U;
constexpr u32 kNobody = ~0U;

class Pager {
 public:
  Pager(const Tiling& tiling, u32 frames, u32 results, u32 results_end)
      : tiling_(tiling),
        results_(results),
        results_end_(results_end),
        frames_(frames),
        pages_(tiling.filled.size()) {
    for (u32 t = 0; t < tiling.tiles.size(); ++t)
      for (const PageUse& use : tiling.tiles[t].pages) pages_[use.page].uses.push_back(t);
    for (u32 page = 0; page < pages_.size(); ++page) pages_[page].filled = tiling.filled[page];
  }

  Paging page_tiles() {
    for (tile_ = 0; tile_ < tiling_.tiles.size(); ++tile_) page_tile();
    return std::move(result_);
  }

 private:
  struct Page {
    std::vector<u32> uses;    // the tiles that access the page
    u32 frame = kNobody;      // kNobody while the page is not in memory
    u32 stored_by = kNobody;  // the last step that stored the page
    bool filled = false;      // the off-chip memory has its words, or a tile has written them
    bool changed = false;     // a tile has written words since the page was loaded
  };
  struct Frame {
    u32 page = kNobody;
    u32 busy_until = kNobody;  // the last step that accesses the frame
    u32 last_tile = 0;
  };

  [[nodiscard]] bool is_result(u32 page) const { return results_ <= page && page < results_end_; }
  [[nodiscard]] u32 next_use(u32 page) const {
    const auto& uses = pages_[page].uses;
    const auto next = std::lower_bound(uses.begin(), uses.end(), tile_);
    return next == uses.end() ? kNever : *next;
  }

  // Frees frames for the pages of the tile, loads the pages, runs the tile, and stores result pages that are complete.
  void page_tile() {
    const ProgramTile& tile = tiling_.tiles[tile_];
    if (tile.pages.size() > frames_.size()) throw std::logic_error("a tile has more pages than there are frames");
    PageStep eviction{PageStepKind::store, tile_, {}, {}}, load{PageStepKind::load, tile_, {}, {}};
    std::set<u32> waits, eviction_waits;
    for (const PageUse& use : tile.pages) {
      Page& page = pages_[use.page];
      if (page.frame != kNobody) continue;
      const u32 frame = free_frame(eviction, eviction_waits, waits);
      frames_[frame] = {use.page, kNobody, tile_};
      page.frame = frame;
      if (!page.filled) continue;
      load.moves.push_back({use.page, frame});
      if (page.stored_by != kNobody) waits.insert(page.stored_by);
    }
    if (!eviction.moves.empty()) waits.insert(add(eviction, eviction_waits));
    if (!load.moves.empty()) waits = {add(load, waits)};
    run_tile(tile, waits);
  }

  void run_tile(const ProgramTile& tile, std::set<u32>& waits) {
    if (kernel_ != kNobody) waits.insert(kernel_);
    kernel_ = add({PageStepKind::run, tile_, {}, {}}, waits);
    PageStep whole{PageStepKind::store, tile_, {}, {}};
    auto& frames = result_.frames.emplace_back();
    for (const PageUse& use : tile.pages) {
      Page& page = pages_[use.page];
      frames[use.page] = page.frame;
      frames_[page.frame].busy_until = kernel_;
      frames_[page.frame].last_tile = tile_;
      page.filled = page.filled || use.writes;
      page.changed = page.changed || use.writes;
      if (is_result(use.page) && page.uses.back() == tile_) whole.moves.push_back({use.page, page.frame});
    }
    if (whole.moves.empty()) return;
    const u32 step = add(whole, {kernel_});
    for (const PageMove& move : whole.moves) {
      frames_[move.frame].busy_until = step;
      pages_[move.page].changed = false;
    }
  }

  // Frees the frame that is least useful, and returns it. Adds to `waits` the steps that must end before it is filled
  // again.
  u32 free_frame(PageStep& eviction, std::set<u32>& eviction_waits, std::set<u32>& waits) {
    u32 best = kNobody;
    for (u32 f = 0; f < frames_.size(); ++f)
      if ((frames_[f].page == kNobody || next_use(frames_[f].page) != tile_) &&
          (best == kNobody || worth(f) < worth(best)))
        best = f;
    const Frame& frame = frames_[best];
    if (frame.page == kNobody) return best;
    Page& page = pages_[frame.page];
    if (page.changed && next_use(frame.page) != kNever) {
      eviction.moves.push_back({frame.page, best});
      eviction_waits.insert(frame.busy_until);
      page.stored_by = static_cast<u32>(result_.steps.size());  // the index of the next step, which is this eviction
      page.changed = false;
    } else {
      waits.insert(frame.busy_until);
    }
    page.frame = kNobody;
    return best;
  }

  // Orders frames for reuse: empty frames, then frames whose pages have no later use, then frames by their next use,
  // latest use first.
  [[nodiscard]] std::tuple<int, u32, u32> worth(u32 f) const {
    const Frame& frame = frames_[f];
    if (frame.page == kNobody) return {0, 0, 0};
    const u32 next = next_use(frame.page);
    return next == kNever ? std::tuple{1, frame.last_tile, 0U} : std::tuple{2, ~next, frame.last_tile};
  }

  u32 add(PageStep step, const std::set<u32>& after) {
    step.after.assign(after.begin(), after.end());
    result_.steps.push_back(std::move(step));
    return static_cast<u32>(result_.steps.size() - 1);
  }

  const Tiling& tiling_;
  u32 results_, results_end_;
  std::vector<Frame> frames_;
  std::vector<Page> pages_;
  u32 tile_ = 0;
  u32 kernel_ = kNobody;  // the step that runs the previous tile
  Paging result_;
};

}  // namespace

Paging paged(const Tiling& tiling, u32 frames, u32 results, u32 results_end) {
  return Pager(tiling, frames, results, results_end).page_tiles();
}

}  // namespace ringfort::rpu
