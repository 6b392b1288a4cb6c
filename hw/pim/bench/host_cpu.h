// SPDX-License-Identifier: Apache-2.0
// Measures operations of the DPU kernels on the CPU of this machine, to compare the two. Here the operations are plain
// C++ loops. Convolutions have 2048 or 8192 words, and other operations have vectors of 16 to 64 MiB. They run on one
// thread and on all threads. The results are processor times. No simulated time depends on these measurements.
// hw/pim/README.md explains the terms.
#pragma once

#include "bench/experiments.h"

namespace ringfort::pim::bench {

std::vector<Experiment> host_measurements();
std::vector<Experiment> simulator_speed();  // in speed.cpp

}  // namespace ringfort::pim::bench
