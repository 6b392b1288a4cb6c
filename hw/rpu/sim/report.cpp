// SPDX-License-Identifier: Apache-2.0
// Writes the report as JSON or as text.
#include "sim/report.h"

#include <algorithm>

namespace ringfort::rpu {
namespace {

void write_pipe(std::ostream& out, const char* name, const PipeReport& pipe) {
  out << "\"" << name << "\": {\"instructions\": " << pipe.instructions << ", \"busy_cycles\": " << pipe.busy_cycles
      << ", \"stalls\": {";
  for (std::size_t c = 0; c < pipe.stalls.size(); ++c)
    out << (c != 0 ? ", " : "") << "\"" << kStallNames[c] << "\": " << pipe.stalls[c];
  out << "}}";
}

}  // namespace

void write_json(std::ostream& out, const Activity& a) {
  out << "{\"instructions\": " << a.instructions << ", \"multiplications\": " << a.multiplications
      << ", \"additions\": " << a.additions << ", \"register_words\": " << a.register_words
      << ", \"memory_words\": " << a.memory_words << ", \"crossbar_words\": " << a.crossbar_words
      << ", \"shuffled_words\": " << a.shuffled_words << "}";
}

void write_json(std::ostream& out, const std::array<PipeReport, 4>& pipes) {
  out << "{";
  for (std::size_t p = 0; p < pipes.size(); ++p) {
    if (p != 0) out << ", ";
    write_pipe(out, kPipeNames[p], pipes[p]);
  }
  out << "}";
}

void write_json(std::ostream& out, const Result& result) {
  const Outcome& outcome = result.outcome;
  out << "{\"executed\": " << outcome.executed << ", \"trap\": ";
  if (outcome.trap == Trap::none) out << "null";
  else out << "{\"name\": \"" << trap_info(outcome.trap).name << "\", \"pc\": " << outcome.pc << "}";
  out << ", \"lane_operations\": " << outcome.lane_operations << ", \"simulation_seconds\": " << result.seconds
      << ", \"activity\": ";
  write_json(out, result.activity);
  out << ", \"energy_uj\": " << result.activity.microjoules();
  if (result.replay_agrees) out << ", \"replay_agrees\": " << (*result.replay_agrees ? "true" : "false");
  if (result.timing) {
    const TimingReport& report = *result.timing;
    out << ", \"cycles\": " << report.cycles << ", \"us\": " << report.microseconds << ", \"pipes\": ";
    write_json(out, report.pipes);
  }
  out << "}\n";
}

void write_text(std::ostream& out, const Result& result) {
  const Outcome& outcome = result.outcome;
  out << outcome.executed << " instructions executed\n";
  if (outcome.trap != Trap::none) {
    out << "trap " << trap_info(outcome.trap).name << " at instruction " << outcome.pc << ": "
        << trap_info(outcome.trap).doc << "; " << trap_info(outcome.trap).fix << "\n";
    return;
  }
  if (result.replay_agrees)
    out << "executed in the order of time: " << (*result.replay_agrees ? "same values" : "DIFFERENT VALUES") << "\n";
  if (!result.timing) return;
  const TimingReport& report = *result.timing;
  out << report.cycles << " cycles, " << report.microseconds << " us, " << result.activity.microjoules() << " uJ\n";
  for (std::size_t p = 0; p < report.pipes.size(); ++p) {
    const PipeReport& pipe = report.pipes[p];
    out << kPipeNames[p] << ": " << pipe.instructions << " instructions, busy " << pipe.busy_cycles << " cycles ("
        << 100 * pipe.busy_cycles / std::max<u64>(1, report.cycles) << " %); waited";
    for (std::size_t c = 0; c < pipe.stalls.size(); ++c) out << " " << kStallNames[c] << " " << pipe.stalls[c];
    out << "\n";
  }
}

}  // namespace ringfort::rpu
