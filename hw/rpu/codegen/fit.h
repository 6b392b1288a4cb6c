// SPDX-License-Identifier: Apache-2.0
// Finds schedules that fit the registers. If the search finds none, some values are kept in memory for a while
// (spill.h).
#pragma once

#include "codegen/schedule.h"

namespace ringfort::rpu {

struct Fitted {
  Plan plan;
  Schedule schedule;
};

// Returns a schedule with at most `words` words of memory in all, or none. Keeps values in memory only if the registers
// demand it.
[[nodiscard]] std::optional<Fitted> fitted(const Plan& plan, const Machine& machine, const SearchRequest& search,
                                           u32 words);

}  // namespace ringfort::rpu
