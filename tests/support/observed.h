// SPDX-License-Identifier: Apache-2.0
// Records the verbs that a context's device runs during a call.
#pragma once

#include <string>
#include <vector>

#include "ringfort/device.h"
#include "ringfort/keys.h"

namespace ringfort::testing {

template <class F>
std::vector<VerbRecord> records_of(const KeyContext& context, F call) {
  const Profile profile;
  context.profile(&profile);
  call();
  context.profile(nullptr);
  return profile.records();
}

template <class F>
std::vector<std::string> verbs_of(const KeyContext& context, F call) {
  std::vector<std::string> names;
  for (const VerbRecord& record : records_of(context, call)) names.push_back(record.verb);
  return names;
}

}  // namespace ringfort::testing
