// SPDX-License-Identifier: Apache-2.0
// Common code of the targets for statistics: a study in the BGV ring of leveled.h. The study has two columns, at most
// eight uploads, and at most four records per upload.
#pragma once

#include "leveled.h"
#include "ringfort/statistics.h"

namespace ringfort::fuzz {

inline const statistics::Study& study() {
  static const statistics::Study only{{{"a", 0, 3}, {"b", 0, 1}}, statistics::Wanted::variances, 8, 4, false};
  return only;
}

// Runs `take`. It must accept the untrusted bytes, or fail with an error code other than internal and out_of_memory.
template <class Take>
void refused_or_taken(const Take& take) {
  try {
    take();
  } catch (const Error& refused) {
    if (refused.code() == Code::internal || refused.code() == Code::out_of_memory) __builtin_trap();
  }
}

}  // namespace ringfort::fuzz
