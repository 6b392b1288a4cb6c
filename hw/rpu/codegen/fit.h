// SPDX-License-Identifier: Apache-2.0
// Finds a schedule (schedule.h) whose values fit in the registers. If the search finds none, moves some values to
// memory (spill.h).
#pragma once

#include "codegen/schedule.h"

namespace ringfort::rpu {

struct Fitted {
  Plan plan;
  Schedule schedule;
};

// Returns a plan and its schedule, or none. Values are moved to memory only if the search finds no schedule without
// such moves. A plan with such moves uses at most `words` words of memory.
[[nodiscard]] std::optional<Fitted> fitted(const Plan& plan, const Machine& machine, const SearchRequest& search,
                                           u32 words);

}  // namespace ringfort::rpu
