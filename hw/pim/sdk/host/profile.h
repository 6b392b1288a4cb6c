// SPDX-License-Identifier: Apache-2.0
// What a system of DPUs looks like from its host, and how long the host's actions take: read from data/profiles, which
// name their sources. A push costs a fixed part, which grows with the ranks, and a part that follows a measured curve
// over the bytes a DPU and the published growth with ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/words.h"

namespace ringfort::pim {

enum class Direction : u8 { to_dpu, from_dpu };

struct HostProfile {
  std::string name;
  std::string chip;
  u32 ranks;
  u32 dpus_per_rank;
  double launch_fixed_ms, launch_rank_ms;
  double push_fixed_ms, push_rank_ms[2];  // by Direction
  u32 curve_ranks;
  std::vector<double> curve_bytes, curve_ms[2];
  double scaling[2];
  double serial_bytes_per_s[2];
  double broadcast_gain;
  double prepare_ns;
  double dispatch_ms;  // to hand asynchronous work to a rank's thread of the pool

  double launch_ms(u32 ranks_used) const { return launch_fixed_ms + launch_rank_ms * ranks_used; }
  double push_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const;
  double broadcast_ms(double bytes_per_dpu, u32 ranks_used) const;
  double serial_ms(Direction direction, double bytes) const {
    return bytes / serial_bytes_per_s[static_cast<int>(direction)] * 1e3;
  }
  double prepare_ms(std::size_t dpus) const { return prepare_ns / 1e6 * static_cast<double>(dpus); }
  // The share of a push that no other push can overlap: what it takes when all ranks of the curve move at once.
  double shared_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const;

  double streaming_ms(Direction direction, double bytes_per_dpu) const;  // at the curve's ranks, without the fixed part
  double scale(u32 ranks_used) const;
};

// In the order of their files' names; made by the build.
extern const std::vector<HostProfile> kProfiles;

// nullopt: no profile of that name.
std::optional<HostProfile> find_profile(std::string_view name);
std::vector<std::string> profile_names();

}  // namespace ringfort::pim
