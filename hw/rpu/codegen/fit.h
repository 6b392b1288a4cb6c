// SPDX-License-Identifier: Apache-2.0
// Finds schedules that fit in the registers. If no schedule fits, some values are moved to memory (spill.h).
#pragma once

#include "codegen/schedule.h"

namespace ringfort::rpu {

struct Fitted {
  Plan plan;
  Schedule schedule;
};

// Returns a schedule with at most `words` words of memory in all, or none. Moves values to memory only if there is no
// other schedule.
[[nodiscard]] std::optional<Fitted> fitted(const Plan& plan, const Machine& machine, const SearchRequest& search,
                                           u32 words);

}  // namespace ringfort::rpu
