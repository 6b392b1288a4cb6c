// SPDX-License-Identifier: Apache-2.0
// The experiments of `ringfort bench pim`. Each adds its rows. Times are simulated. Experiments that repeat figures of
// [Mwaisela24] have the sizes and DPU counts that the paper states; docs/pim.md names the figures for which it states
// no size.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/rows.h"
#include "bench/vector_run.h"

namespace ringfort::pim::bench {

inline constexpr u32 kDpus = 2048;               // DPUs of a whole system
inline constexpr double kHostBytesPerMs = 60e6;  // memory bandwidth of the host: 60 GB/s

struct Setting {
  std::string folder;  // folder of the DPU programs
  std::string profile;
  bool quick = false;
  Rows* rows = nullptr;
};

struct Experiment {
  std::string name;  // rows begin with pim/NAME
  std::function<void(const Setting&)> run;
};

std::vector<Experiment> figures();     // the paper's figures
std::vector<Experiment> sweeps();      // scaling, transfers, operations per copied word, resident data
std::vector<Experiment> statistics();  // mean, variance and regression over many users
std::vector<Experiment> cycle_tables();

// Adds the rows NAME/dpu, NAME/to_dpus, NAME/from_dpus and NAME/with_copies.
void add_times(const Setting& setting, const std::string& name, const Times& times, Params params);

}  // namespace ringfort::pim::bench
