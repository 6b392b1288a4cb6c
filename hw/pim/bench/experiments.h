// SPDX-License-Identifier: Apache-2.0
// The experiments of `ringfort bench pim`. Each experiment adds rows of results. Times are simulated, except in the
// experiments of host_cpu.h. Experiments that repeat figures of [Mwaisela24] use the sizes and numbers of DPUs that the
// paper states. For some figures the paper states no size; docs/pim.md names these figures. hw/pim/README.md explains
// the terms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/rows.h"
#include "bench/vector_run.h"

namespace ringfort::pim::bench {

inline constexpr u32 kDpus = 2048;               // number of DPUs of the modelled server
inline constexpr double kHostBytesPerMs = 60e6;  // memory bandwidth of the host: 60 GB/s

struct Setting {
  std::string folder;  // folder of the DPU programs
  std::string profile;
  bool quick = false;
  Rows* rows = nullptr;
};

struct Experiment {
  std::string name;  // names of rows begin with pim/NAME; the experiment cycles also adds pim/ntt
  std::function<void(const Setting&)> run;
};

std::vector<Experiment> figures();     // the figures of the paper
std::vector<Experiment> sweeps();      // scaling, transfers, operations per copied word, resident data
std::vector<Experiment> statistics();  // mean, variance and regression over many users
std::vector<Experiment> cycle_tables();

// Adds four rows: NAME/dpu has the time of the DPUs, NAME/to_dpus and NAME/from_dpus the times of the copies, and
// NAME/with_copies the sum of these times.
void add_times(const Setting& setting, const std::string& name, const Times& times, Params params);

}  // namespace ringfort::pim::bench
