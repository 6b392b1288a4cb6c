// SPDX-License-Identifier: Apache-2.0
// Chooses the groups of DPUs (memory.h) for the units of a verb (VerbTask in verbs.h).
#include "backend/pim/verbs.h"

namespace ringfort::pim_host {
namespace {

// Returns the group of each unit. `polynomials` has the group of each polynomial. The result is empty if a unit is in
// two groups.
std::vector<u32> by_unit(const std::vector<u32>& polynomials, u32 units) {
  const std::size_t each = polynomials.size() / units;
  std::vector<u32> groups;
  for (std::size_t p = 0; p < polynomials.size(); ++p) {
    if (p % each == 0) groups.push_back(polynomials[p]);
    else if (polynomials[p] != groups.back()) return {};
  }
  return groups;
}

// Returns, for each unit, the number of earlier units in its group.
std::vector<u32> turns_of(const std::vector<u32>& groups, u32 of) {
  std::vector<u32> turns, filled(of);
  for (const u32 group : groups) turns.push_back(filled[group]++);
  return turns;
}

u32 most(const std::vector<u32>& turns) noexcept { return *std::max_element(turns.begin(), turns.end()) + 1; }

}  // namespace

Status VerbTask::spread(u32 units, Weight weight, std::initializer_list<const View*> operands) {
  for (const View* view : operands) {
    if (view->offset % n() != 0) return Status::unsupported;
  }
  groups_.clear();
  for (const View* view : operands) {
    if (groups_.empty()) groups_ = by_unit(machine_.memory.groups_of(stream_, *view, grid_), units);
  }
  const std::vector<u32> even =
      units == (**operands.begin()).batch ? spread_rows(units, grid_, units) : spread_evenly(units, grid_);
  if (groups_.empty())
    groups_ = weight == Weight::light ? by_unit(Memory::groups_alone(**operands.begin(), grid_), units) : even;
  if (groups_.empty()) groups_ = even;
  turns_ = turns_of(groups_, grid_.groups);
  if (weight == Weight::light) return Status::ok;
  const std::vector<u32> turns = turns_of(even, grid_.groups);
  if (most(turns_) >= 2 * most(turns)) groups_ = even, turns_ = turns;
  return Status::ok;
}

PlacementRequest VerbTask::wanted(const View& view) const {
  const u32 each = view.batch / units();
  std::vector<u32> groups(view.batch);
  for (std::size_t p = 0; p < groups.size(); ++p) groups[p] = groups_[p / each];
  return {.stream = stream_, .grid = grid_, .groups = std::move(groups), .each = each};
}

bool VerbTask::follow(u32 unit, std::initializer_list<const Operand*> operands) const noexcept {
  for (const Operand* operand : operands) {
    if (!operand->follows(unit * (operand->view.batch / units()))) return false;
  }
  return operands.size() != 0;
}

}  // namespace ringfort::pim_host
