// SPDX-License-Identifier: Apache-2.0
// Times the operations of the DPU kernels on this machine's CPU, in processor time: plain C++ loops over vectors larger
// than the caches, on one thread and on all threads. No simulated time depends on these measurements.
#pragma once

#include "bench/experiments.h"

namespace ringfort::pim::bench {

std::vector<Experiment> host_measurements();
std::vector<Experiment> simulator_speed();  // speed.cpp

}  // namespace ringfort::pim::bench
