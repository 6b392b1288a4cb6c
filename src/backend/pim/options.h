// SPDX-License-Identifier: Apache-2.0
// What a device name says: "pim" or "pim:ranks=8,profile=prim-2021,chip=v1B,dpus=62,fidelity=full".
#pragma once

#include <string>
#include <string_view>

#include "math/types.h"

namespace ringfort::pim_host {

struct Options {
  u32 ranks = 1;
  std::string profile;   // of the SDK: "timing=...,fidelity=..."
  double launch_us = 0;  // of a launch on one rank, but for its cycles
  double clock_mhz = 0;
};

// False: `refusal` says what was refused (backend/options). Throws std::bad_alloc.
[[nodiscard]] bool parse(std::string_view device, Options& options, std::string& refusal);

}  // namespace ringfort::pim_host
