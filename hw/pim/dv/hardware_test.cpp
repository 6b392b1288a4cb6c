// SPDX-License-Identifier: Apache-2.0
// Whole streaming kernels against PrIM timings on real hardware (data/prim_hardware.json): cycles an element, and the time of
// every published row of vector addition and reduction, launch included. Copies within WRAM against the published bandwidth.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sdk/host/profile.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

// Cycles that a vector of `bytes` takes: a + b * bytes, from two runs.
struct Line {
  double fixed, per_byte;
  double at(double bytes) const { return fixed + per_byte * bytes; }
};

double run_stream(const std::string& program, std::uint32_t bytes, const Timing& timing) {
  Dpu dpu = ready(program, timing);
  set<std::uint32_t>(dpu, "bytes", bytes);
  const RunReport report = dpu.run();
  EXPECT_EQ(report.fault.text, "");
  return static_cast<double>(report.counters.cycles);
}

Line line_of(const std::string& program, const Timing& timing) {
  constexpr std::uint32_t kBytes = 1 << 19;
  const double one = run_stream(program, kBytes, timing), two = run_stream(program, 2 * kBytes, timing);
  return {2 * one - two, (two - one) / kBytes};
}

const Timing k64Bit{.fuse_pairs = true};

class Hardware : public DpuTest {};

TEST_F(Hardware, VectorAdditionAndReductionTakeTheMeasuredCycles) {
  EXPECT_NEAR(4 * line_of("stream_1", {}).per_byte / 10.2, 1, 0.15);
  EXPECT_NEAR(8 * line_of("stream_2", k64Bit).per_byte / 8.24, 1, 0.15);
}

TEST_F(Hardware, WramCopiesAt2800MegabytesASecond) {
  const double bytes_per_second = 2 / line_of("stream_3", k64Bit).per_byte * kV1A.clock_mhz * 1e6;
  EXPECT_NEAR(bytes_per_second / 2.8e9, 1, 0.10);
}

struct Error {
  double sum_relative = 0, sum_squares = 0;
  std::vector<double> measured;

  void add(double model, double value) {
    sum_relative += std::abs(model / value - 1);
    sum_squares += (model - value) * (model - value);
    measured.push_back(value);
  }
  double mean_relative() const { return sum_relative / static_cast<double>(measured.size()); }
  double determination() const {
    double mean = 0, spread = 0;
    for (double value : measured) mean += value / static_cast<double>(measured.size());
    for (double value : measured) spread += (value - mean) * (value - mean);
    return 1 - sum_squares / spread;
  }
};

TEST_F(Hardware, EveryPublishedRowOfTheseKernelsIsMet) {
  std::ifstream file(std::string(PIM_ROOT) + "/data/prim_hardware.json");
  const auto rows = nlohmann::json::parse(file)["rows"];
  const Line addition = line_of("stream_1", {}), reduction = line_of("stream_2", k64Bit);
  const double launch_ms = find_profile("prim-2021").value().launch_ms(1);
  Error error;
  for (const auto& row : rows) {
    const bool adds = row["benchmark"] == "VA", reduces = row["benchmark"] == "RED";
    if (!adds && !reduces) continue;
    const double elements = row["elements"].get<double>() / row["dpus"].get<double>();
    const double cycles = adds ? addition.at(4 * elements) : reduction.at(8 * elements);
    error.add(launch_ms + cycles / (kV1A.clock_mhz * 1e3), row["kernel_ms"]);
  }
  EXPECT_GE(error.measured.size(), 30u);
  EXPECT_GE(error.determination(), 0.95);
  EXPECT_LE(error.mean_relative(), 0.20);
  RecordProperty("determination", std::to_string(error.determination()));
  RecordProperty("mean_relative_error", std::to_string(error.mean_relative()));
}

}  // namespace
}  // namespace ringfort::pim::testing
