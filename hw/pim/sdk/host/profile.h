// SPDX-License-Identifier: Apache-2.0
// The timing profile of a system: its ranks, and the times of the host's actions. The numbers are in data/profiles,
// with their sources. The time of a push has two parts. The fixed part does not depend on the bytes, but grows with the
// number of ranks. The other part follows a measured curve over the bytes per DPU. It grows with the number of ranks as
// in published measurements. hw/pim/README.md explains the terms.
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
  double push_fixed_ms, push_rank_ms[2];  // push_rank_ms has one entry for each Direction
  u32 curve_ranks;                        // the number of ranks with which the curve was measured
  std::vector<double> curve_bytes, curve_ms[2];
  double scaling[2];  // the constants of scale()
  double serial_bytes_per_s[2];
  double broadcast_gain;
  double prepare_ns;   // time to assign a buffer to one DPU
  double dispatch_ms;  // time to hand asynchronous work to a rank's thread in the pool

  double launch_ms(u32 ranks_used) const { return launch_fixed_ms + launch_rank_ms * ranks_used; }
  double push_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const;
  double broadcast_ms(double bytes_per_dpu, u32 ranks_used) const;
  double serial_ms(Direction direction, double bytes) const {
    return bytes / serial_bytes_per_s[static_cast<int>(direction)] * 1e3;
  }
  double prepare_ms(std::size_t dpus) const { return prepare_ns / 1e6 * static_cast<double>(dpus); }
  // Returns the time for which a push occupies the host's memory bandwidth, so that no other push moves data. It is
  // ranks_used / curve_ranks times streaming_ms().
  double shared_ms(Direction direction, double bytes_per_dpu, u32 ranks_used) const;

  // The time of a push to curve_ranks ranks, without the fixed part. For another number of ranks, it is multiplied by
  // scale().
  double streaming_ms(Direction direction, double bytes_per_dpu) const;
  double scale(u32 ranks_used) const;
};

// The profiles of data/profiles, in the order of their file names. The build generates this list. It is never
// destroyed, because other threads may open systems while the process exits.
extern const std::vector<HostProfile>& kProfiles;

// Returns nullopt if no profile has that name.
std::optional<HostProfile> find_profile(std::string_view name);
std::vector<std::string> profile_names();

}  // namespace ringfort::pim
