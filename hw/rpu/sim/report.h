// SPDX-License-Identifier: Apache-2.0
// The report of rpusim on one run of a kernel: one JSON document, or text for people.
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

// Writes {"instructions": 6, ...}.
void write_json(std::ostream& out, const Activity& activity);

// Writes {"front_end": {...}, ...}.
void write_json(std::ostream& out, const std::array<PipeReport, 4>& pipes);

}  // namespace ringfort::rpu
