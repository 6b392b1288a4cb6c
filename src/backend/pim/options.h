// SPDX-License-Identifier: Apache-2.0
// The options in the name of a pim device, such as "pim" or
// "pim:ranks=8,profile=prim-2021,chip=v1B,dpus=62,fidelity=full". docs/pim.md explains the options.
#pragma once

#include <string>
#include <string_view>

#include "math/types.h"

namespace ringfort::pim_host {

struct Options {
  u32 ranks = 1;
  std::string profile;   // argument of UPMEM's dpu_alloc(), which reserves DPUs: "timing=...,fidelity=..."
  double launch_us = 0;  // time of an empty launch on one rank
  double clock_mhz = 0;
};

// Reads a device name. Returns false if it is invalid; then `refusal` has the reason (backend/options). Throws
// std::bad_alloc.
[[nodiscard]] bool parse(std::string_view device, Options& options, std::string& refusal);

}  // namespace ringfort::pim_host
