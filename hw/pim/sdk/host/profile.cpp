// SPDX-License-Identifier: Apache-2.0
// Computes the times of pushes and broadcasts from the curves of a profile (profile.h). hw/pim/README.md explains the
// terms.
#include "profile.h"
#include "sim/words.h"

#include <algorithm>
#include <cmath>

namespace ringfort::pim {

// Returns the time of a push to curve_ranks ranks, without its fixed part. Between two measured points the time follows
// a power law. Outside the measured points it is proportional to the bytes.
double HostProfile::streaming_ms(Direction direction, double bytes_per_dpu) const {
  const int d = static_cast<int>(direction);
  const double fixed = push_fixed_ms + push_rank_ms[d] * curve_ranks;
  const auto at = [&](std::size_t i) { return curve_ms[d][i] - fixed; };
  const std::size_t last = curve_bytes.size() - 1;
  if (bytes_per_dpu <= curve_bytes.front()) return at(0) * bytes_per_dpu / curve_bytes.front();
  if (bytes_per_dpu >= curve_bytes[last]) return at(last) * bytes_per_dpu / curve_bytes[last];
  std::size_t i = 1;
  while (curve_bytes[i] < bytes_per_dpu) ++i;
  const double share = std::log(bytes_per_dpu / curve_bytes[i - 1]) / std::log(curve_bytes[i] / curve_bytes[i - 1]);
  return at(i - 1) * std::pow(at(i) / at(i - 1), share);
}

double HostProfile::scale(u32 ranks_used) const {
  const double share = static_cast<double>(ranks_used) / curve_ranks;
  return share / (scaling[0] + scaling[1] * share);
}

double HostProfile::push_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const {
  return push_fixed_ms + push_rank_ms[static_cast<int>(direction)] * ranks_used +
         streaming_ms(direction, bytes_per_dpu) * scale(ranks_used);
}

double HostProfile::broadcast_ms(double bytes_per_dpu, u32 ranks_used) const {
  return push_fixed_ms + push_rank_ms[0] * ranks_used +
         streaming_ms(Direction::to_dpu, bytes_per_dpu) * scale(ranks_used) / broadcast_gain;
}

double HostProfile::shared_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const {
  return streaming_ms(direction, bytes_per_dpu) * ranks_used / curve_ranks;
}

std::optional<HostProfile> find_profile(std::string_view name) {
  for (const auto& profile : kProfiles) {
    if (profile.name == name) return profile;
  }
  return std::nullopt;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& profile : kProfiles) names.push_back(profile.name);
  return names;
}

}  // namespace ringfort::pim
