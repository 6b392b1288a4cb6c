// SPDX-License-Identifier: Apache-2.0
// Schedules that fit the registers: where the search finds none, some values are kept in memory for a while (spill.h).
#pragma once

#include "codegen/schedule.h"

namespace ringfort::rpu {

struct Fitted {
  Plan plan;
  Schedule schedule;
};

// With as few values in memory as the registers demand, in at most `words` words of memory altogether.
[[nodiscard]] std::optional<Fitted> fitted(const Plan& plan, const Machine& machine, const SearchRequest& search,
                                           u32 words);

}  // namespace ringfort::rpu
