// SPDX-License-Identifier: Apache-2.0
// Finds regions of emulated memory, and records which of their cells were written (regions.h).
#include "backend/device/emu/regions.h"

#include <algorithm>

namespace ringfort::emu {
namespace {

// Calls f(cell) for every cell that has one of the bytes.
template <class F>
void for_each_cell(Region& region, const std::byte* p, std::size_t bytes, F f) {
  const std::size_t begin = static_cast<std::size_t>(p - region.first);
  for (std::size_t i = begin / kCellBytes; i * kCellBytes < begin + bytes; ++i) f(region.cells[i]);
}

}  // namespace

void Regions::add(std::byte* first, std::size_t bytes) {
  const std::size_t cells = (bytes + kCellBytes - 1) / kCellBytes;
  regions_[first] = {first, bytes, std::vector<Cell>(cells), cells};
}

void Regions::remove(const std::byte* first) noexcept { regions_.erase(first); }

Region* Regions::find(const std::byte* p, std::size_t bytes) noexcept {
  auto behind = regions_.upper_bound(p);
  if (behind == regions_.begin()) return nullptr;
  Region& region = std::prev(behind)->second;
  return region.holds(p, bytes) ? &region : nullptr;
}

bool Regions::mark_written(const std::byte* p, std::size_t bytes) noexcept {
  Region* const region = find(p, bytes);
  if (region == nullptr) return false;
  for_each_cell(*region, p, bytes, [&](Cell& cell) {
    region->unwritten -= cell.write == kNever;
    cell.write = std::max(cell.write, kByCopy);
  });
  return true;
}

bool Regions::is_written(const std::byte* p, std::size_t bytes) noexcept {
  Region* const region = find(p, bytes);
  if (region == nullptr) return false;
  bool all = true;
  if (region->unwritten == 0) return all;
  for_each_cell(*region, p, bytes, [&](const Cell& cell) { all = all && cell.write != kNever; });
  return all;
}

}  // namespace ringfort::emu
