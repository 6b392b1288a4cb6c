// SPDX-License-Identifier: Apache-2.0
// The same operations on the CPU that this runs on, in wall time: plain C++ loops over vectors larger than its caches,
// on one thread and on all. Measured, as the simulator's own speed is; no simulated time depends on them.
#pragma once

#include "bench/experiments.h"

namespace ringfort::pim::bench {

std::vector<Experiment> host_measurements();
std::vector<Experiment> simulator_speed();  // speed.cpp

}  // namespace ringfort::pim::bench
