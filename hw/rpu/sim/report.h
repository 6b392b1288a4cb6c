// SPDX-License-Identifier: Apache-2.0
// The report of rpusim about one run of a kernel, as one JSON document or as text for people. hw/rpu/README.md explains
// the terms, such as pipe.
#pragma once

#include <optional>
#include <ostream>

#include "sim/activity.h"
#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

struct Result {
  Outcome outcome;
  Activity activity;
  std::optional<TimingReport> timing;
  std::optional<bool> replay_agrees;
  double seconds = 0;
};

void write_json(std::ostream& out, const Result& result);
void write_text(std::ostream& out, const Result& result);

// Writes an object {"instructions": 6, ...}.
void write_json(std::ostream& out, const Activity& activity);

// Writes an object {"front_end": {...}, ...}.
void write_json(std::ostream& out, const std::array<PipeReport, 4>& pipes);

}  // namespace ringfort::rpu
