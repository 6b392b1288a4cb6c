// SPDX-License-Identifier: Apache-2.0
// Compares the timing model with measurements of real hardware: the throughput of arithmetic that the benchmark suite
// PrIM [GomezLuna22] measured, the table of DMA times, and streaming. The tests use the cycles of the model, never wall
// time. hw/pim/README.md explains the terms.
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

class TimingModel : public DpuTest {};

constexpr u32 kElements = 64;

// Returns the throughput of one DPU at 350 MHz, in millions of operations per second. It is computed from the
// difference of the cycles of two runs with different lengths. In the difference, the costs of start and end cancel.
template <class T>
double mops(const std::string& program, u32 tasklets, T scalar, const Timing& timing = {}) {
  double cycles[2];
  for (u32 i = 0; i < 2; ++i) {
    Dpu dpu = ready(program, timing);
    set<T>(dpu, "scalar", scalar);
    set<u32>(dpu, "active", tasklets);
    set<u32>(dpu, "rounds", 4 + 20 * i);
    set<T>(dpu, "value", std::numeric_limits<T>::max());
    const RunReport report = dpu.run();
    EXPECT_EQ(report.fault.text, "");
    cycles[i] = static_cast<double>(report.counters.cycles);
  }
  return 20.0 * kElements * tasklets / (cycles[1] - cycles[0]) * kV1A.clock_mhz;
}

void expect_near_share(double value, double reference, double share, const char* what) {
  EXPECT_NEAR(value / reference, 1, share) << what << ": " << value << ", hardware " << reference;
}

TEST_F(TimingModel, ArithmeticThroughputIsTheHardwares) {
  expect_near_share(mops<i32>("add32", 16, 7), 58.6, 0.20, "32-bit addition");
  expect_near_share(mops<i32>("sub32", 16, 7), 58.6, 0.20, "32-bit subtraction");
  expect_near_share(mops<i32>("mul32", 16, 1 << 20), 10.27, 0.10, "32-bit multiplication");
  expect_near_share(mops<i32>("div32", 16, 1 << 20), 11.27, 0.10, "32-bit division");
  expect_near_share(mops<i64>("add64", 16, 7, {.fuse_pairs = true}), 50.2, 0.20, "64-bit addition");
  expect_near_share(mops<i64>("mul64", 16, 7, {.fuse_pairs = true}), 2.56, 0.10, "64-bit multiplication");
}

TEST_F(TimingModel, ThroughputGrowsLinearlyToElevenTaskletsAndNoFurther) {
  const double one = mops<i32>("add32", 1, 7);
  for (u32 tasklets = 2; tasklets <= 24; ++tasklets) {
    const double expected = one * std::min(tasklets, 11u);
    expect_near_share(mops<i32>("add32", tasklets, 7), expected, 0.02, std::to_string(tasklets).c_str());
  }
}

nlohmann::json data(const std::string& name) {
  std::ifstream file(std::string(PIM_ROOT) + "/data/" + name);
  return nlohmann::json::parse(file);
}

// Returns the time in milliseconds of a copy of 31 MiB. The cycles of the model are linear in the number of bytes.
// Therefore only a part of the copy is simulated.
double copy_ms(u32 block, u32 tasklets) {
  constexpr u32 kBytes = 11 << 16;
  Dpu dpu = ready("dma_copy");
  set<u32>(dpu, "bytes", kBytes);
  set<u32>(dpu, "block", block);
  set<u32>(dpu, "active", tasklets);
  const RunReport report = dpu.run();
  EXPECT_EQ(report.fault.text, "");
  EXPECT_EQ(report.counters.dma_bytes, 2u * kBytes);
  return static_cast<double>(report.counters.cycles) / kV1A.clock_mhz / 1e3 * (31 << 20) / kBytes;
}

TEST_F(TimingModel, DmaMeetsThe45MeasuredPoints) {
  const auto table = data("dma_hardware.json");
  double sum = 0, worst = 0;
  int points = 0;
  for (std::size_t row = 0; row < table["sizes"].size(); ++row) {
    for (std::size_t column = 0; column < table["meta"]["tasklets"].size(); ++column) {
      const u32 block = table["sizes"][row], tasklets = table["meta"]["tasklets"][column];
      const double measured = table["ms"][row][column];
      const double error = std::abs(copy_ms(block, tasklets) / measured - 1);
      EXPECT_LE(error, 0.10) << block << " bytes, " << tasklets << " tasklets, hardware " << measured << " ms";
      sum += error;
      worst = std::max(worst, error);
      ++points;
    }
  }
  EXPECT_EQ(points, 45);
  EXPECT_LE(sum / points, 0.04);
  RecordProperty("mean_error_percent", std::to_string(100 * sum / points));
  RecordProperty("worst_error_percent", std::to_string(100 * worst));
}

TEST_F(TimingModel, MramStreamsAt600To640MegabytesASecond) {
  const double seconds = copy_ms(2048, 16) / 1e3;
  const double megabytes = 2.0 * (31 << 20) / seconds / 1e6;
  EXPECT_GE(megabytes, 600);
  EXPECT_LE(megabytes, 640);
}

}  // namespace
}  // namespace ringfort::pim::testing
