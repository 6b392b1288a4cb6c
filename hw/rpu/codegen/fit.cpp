// SPDX-License-Identifier: Apache-2.0
// Schedules a plan. If the search finds no schedule that fits in the registers, moves values to memory (spill.h) and
// schedules the new plan. Each try allows fewer values in registers than the one before.
#include "codegen/fit.h"

#include "codegen/spill.h"

namespace ringfort::rpu {
namespace {

constexpr std::array<u32, 4> kSpillLimits{44, 36, 28, 20};

}  // namespace

std::optional<Fitted> fitted(const Plan& plan, const Machine& machine, const SearchRequest& search, u32 words) {
  Fitted result{plan, {}};
  auto found = schedule(plan, machine, search);
  for (auto limit = kSpillLimits.begin(); !found && limit != kSpillLimits.end(); ++limit) {
    result.plan = spilled(plan, *limit);
    if (result.plan.words() <= words) found = schedule(result.plan, machine, search);
  }
  if (!found) return std::nullopt;
  result.schedule = std::move(*found);
  return result;
}

}  // namespace ringfort::rpu
