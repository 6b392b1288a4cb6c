// SPDX-License-Identifier: Apache-2.0
// Compares the simulated times of the host's actions with published measurements. Also tests the rules of the simulated
// clock: order, overlap, determinism. Only the tests of the clock need a DPU program. hw/pim/README.md explains the
// terms.
#include <dpu.h>
#include <ringfort_pim.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/host/profile.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

constexpr double kKilobyte = 1024;

HostProfile profile(const char* name) {
  auto found = find_profile(name);
  if (!found) throw std::runtime_error(name);
  return *found;
}

TEST(HostTime, PushesMeetTheMeasuredCurves) {
  // Published times in milliseconds for 32 ranks, and the numbers of kilobytes per DPU. One machine was measured twice:
  // with SDK 2024.2, and with direct access, which avoids the SDK's work for each rank. The profile mwaisela-4210R has
  // the times of SDK 2024.2.
  struct Point {
    const char* profile;
    double kilobytes, to, from;
  };
  const Point points[] = {{"sdk-2024", 1, .56, 1.04},     {"sdk-2024", 8, 1.86, 3.76},
                          {"sdk-2024", 32, 4.57, 10.6},   {"sdk-2024", 512, 44.1, 92},
                          {"direct-2024", 1, .091, .209}, {"direct-2024", 16, 1.08, 1.8},
                          {"direct-2024", 64, 4.7, 8.4},  {"mwaisela-4210R", 128, 14.0, 24.6}};
  for (const auto& p : points) {
    EXPECT_NEAR(profile(p.profile).push_ms(Direction::to_dpu, p.kilobytes * kKilobyte, 32) / p.to, 1, 0.10)
        << p.profile << " " << p.kilobytes;
    EXPECT_NEAR(profile(p.profile).push_ms(Direction::from_dpu, p.kilobytes * kKilobyte, 32) / p.from, 1, 0.10)
        << p.profile << " " << p.kilobytes;
  }
}

TEST(HostTime, OneRankMovesWhatPrimMeasured) {
  const HostProfile prim = profile("prim-2021");
  constexpr double kBytes = 32 << 20;
  const auto gigabytes = [&](double ms) { return 64 * kBytes / ms / 1e6; };
  EXPECT_NEAR(gigabytes(prim.push_ms(Direction::to_dpu, kBytes, 1)) / 6.68, 1, 0.15);
  EXPECT_NEAR(gigabytes(prim.push_ms(Direction::from_dpu, kBytes, 1)) / 4.74, 1, 0.15);
  EXPECT_NEAR(gigabytes(prim.broadcast_ms(kBytes, 1)) / 16.9, 1, 0.15);
  EXPECT_NEAR(kBytes / prim.serial_ms(Direction::to_dpu, kBytes) / 1e6 / 0.33, 1, 0.15);
  EXPECT_NEAR(kBytes / prim.serial_ms(Direction::from_dpu, kBytes) / 1e6 / 0.12, 1, 0.15);
}

// Compares every published push of these benchmarks with the model. The pushes are to or from the 64 DPUs of one rank.
// A push moves 8 or 4 bytes per element.
TEST(HostTime, OneRankMovesWhatTheHardwareRowsSay) {
  const std::map<std::string, std::pair<double, double>> bytes{
      {"VA", {8, 4}}, {"RED", {8, 0}}, {"SCAN-RSS", {8, 8}}, {"SCAN-SSA", {8, 8}}};
  std::ifstream file(std::string(PIM_ROOT) + "/data/prim_hardware.json");
  const HostProfile kaist = profile("kaist-2023");
  double sum[2] = {};
  int count[2] = {};
  const auto rows = nlohmann::json::parse(file)["rows"];
  for (const auto& row : rows) {
    const auto found = bytes.find(row["benchmark"]);
    if (found == bytes.end() || row["dpus"] != 64) continue;
    const double elements = row["elements"].get<double>() / 64;
    for (int d = 0; d < 2; ++d) {
      const double moved = elements * (d == 0 ? found->second.first : found->second.second);
      if (moved == 0) continue;
      const double measured = row[d == 0 ? "cpu_to_dpu_ms" : "dpu_to_cpu_ms"];
      sum[d] += std::abs(kaist.push_ms(static_cast<Direction>(d), moved, 1) / measured - 1), ++count[d];
    }
  }
  EXPECT_GE(count[0] + count[1], 25);
  EXPECT_LE(sum[0] / count[0], 0.20);
  EXPECT_LE(sum[1] / count[1], 0.20);
  EXPECT_NEAR(1e6 / kaist.serial_ms(Direction::to_dpu, 1e6) / 1e6 / 0.56, 1, 0.15);
}

TEST(HostTime, BandwidthByRanksIsTheFittedLine) {
  const HostProfile osna = profile("osna-2023");
  constexpr double kBytes = 1 << 20;
  for (u32 ranks : {1u, 4u, 8u, 16u, 24u, 31u}) {
    const double gigabytes = 64.0 * ranks * kBytes / osna.push_ms(Direction::to_dpu, kBytes, ranks) / 1e6;
    EXPECT_NEAR(gigabytes / (5.04 + 0.259 * ranks), 1, 0.05) << ranks;
  }
}

TEST(HostTime, BandwidthGrowsWithRanksAndFromIsSlower) {
  for (const auto& name : profile_names()) {
    const HostProfile p = profile(name.c_str());
    for (double bytes : {8.0, 1024.0, 65536.0, 1048576.0}) {
      double before = 0;
      for (u32 ranks = 1; ranks <= p.ranks; ++ranks) {
        const double to = p.push_ms(Direction::to_dpu, bytes, ranks);
        EXPECT_GT(ranks / to, before) << name << " ranks " << ranks;
        EXPECT_GT(p.push_ms(Direction::from_dpu, bytes, ranks), to) << name;
        before = ranks / to;
      }
    }
  }
}

TEST(HostTime, LaunchOfOneRankTakesWhatWasMeasured) {
  for (const auto& name : profile_names()) EXPECT_NEAR(profile(name.c_str()).launch_ms(1) / 0.155, 1, 0.30) << name;
}

class HostClock : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(dpu_alloc_ranks(4, "dpusPerRank=4", &set_), DPU_OK);
    ASSERT_EQ(dpu_load(set_, program_path("host_side").c_str(), nullptr), DPU_OK);
  }
  void TearDown() override {
    if (set_.list.nr_ranks == 0) return;
    EXPECT_EQ(dpu_free(set_), DPU_OK);
  }

  double clock() {
    double ms = 0;
    EXPECT_EQ(ringfort_pim_clock_ms(set_, &ms), DPU_OK);
    return ms;
  }

  void push_heap(dpu_set_t set, dpu_xfer_flags_t flags) {
    dpu_set_t dpu;
    DPU_FOREACH(set, dpu) ASSERT_EQ(dpu_prepare_xfer(dpu, words_.data()), DPU_OK);
    ASSERT_EQ(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, words_.size() * 4, flags), DPU_OK);
  }

  std::vector<u32> words_ = std::vector<u32>(65536);
  dpu_set_t set_{};
};

TEST_F(HostClock, EventsTellBytesCyclesAndOrder) {
  push_heap(set_, DPU_XFER_DEFAULT);
  ASSERT_EQ(dpu_launch(set_, DPU_SYNCHRONOUS), DPU_OK);
  std::size_t count = 0;
  ASSERT_EQ(ringfort_pim_event_count(set_, &count), DPU_OK);
  ASSERT_EQ(count, 3u);
  ringfort_pim_event_t load{}, push{}, launch{};
  ASSERT_EQ(ringfort_pim_event(set_, 0, &load), DPU_OK);
  ASSERT_EQ(ringfort_pim_event(set_, 1, &push), DPU_OK);
  ASSERT_EQ(ringfort_pim_event(set_, 2, &launch), DPU_OK);
  EXPECT_EQ(load.kind, RINGFORT_PIM_LOAD);
  EXPECT_GT(load.bytes, 0u);
  EXPECT_DOUBLE_EQ(load.end_ms - load.start_ms,
                   profile("mwaisela-4210R").broadcast_ms(static_cast<double>(load.bytes) / 16, 4));
  EXPECT_DOUBLE_EQ(push.start_ms, load.end_ms);
  EXPECT_EQ(push.kind, RINGFORT_PIM_TO_DPU);
  EXPECT_EQ(push.bytes, 16u * 65536 * 4);
  EXPECT_EQ(push.ranks, 4u);
  EXPECT_EQ(push.dpus, 16u);
  EXPECT_EQ(launch.kind, RINGFORT_PIM_LAUNCH);
  EXPECT_GT(launch.cycles, 0u);
  EXPECT_DOUBLE_EQ(launch.start_ms, push.end_ms);
  EXPECT_NEAR(launch.end_ms - launch.start_ms, 0.170 + static_cast<double>(launch.cycles) / 350e3, 1e-9);
  EXPECT_DOUBLE_EQ(clock(), launch.end_ms);
  EXPECT_EQ(ringfort_pim_event(set_, 3, &push), DPU_ERR_INVALID_DPU_SET);
}

// A rank may compute while another rank receives data. All pushes together do not exceed the host's memory bandwidth.
TEST_F(HostClock, RanksOverlapButShareTheHostsBandwidth) {
  const double start = clock();
  dpu_set_t rank;
  DPU_RANK_FOREACH(set_, rank) {
    push_heap(rank, DPU_XFER_ASYNC);
    ASSERT_EQ(dpu_launch(rank, DPU_ASYNCHRONOUS), DPU_OK);
  }
  EXPECT_LT(clock() - start, 0.1);
  double free_ms = 0;
  ASSERT_EQ(ringfort_pim_free_ms(set_, &free_ms), DPU_OK);
  ASSERT_EQ(dpu_sync(set_), DPU_OK);
  EXPECT_EQ(clock(), free_ms);
  const double overlapped = clock() - start;
  const HostProfile p = profile("mwaisela-4210R");
  const double bytes = static_cast<double>(words_.size() * 4);
  EXPECT_GE(overlapped, 4 * p.shared_ms(Direction::to_dpu, bytes, 1));
  const double before = clock();
  DPU_RANK_FOREACH(set_, rank) {
    push_heap(rank, DPU_XFER_DEFAULT);
    ASSERT_EQ(dpu_launch(rank, DPU_SYNCHRONOUS), DPU_OK);
  }
  EXPECT_LT(overlapped, (clock() - before) / 2);
}

TEST_F(HostClock, TheSameActionsTakeTheSameTime) {
  double spent[2];
  for (double& ms : spent) {
    dpu_set_t set;
    ASSERT_EQ(dpu_alloc(5, nullptr, &set), DPU_OK);
    ASSERT_EQ(dpu_load(set, program_path("host_side").c_str(), nullptr), DPU_OK);
    push_heap(set, DPU_XFER_DEFAULT);
    ASSERT_EQ(dpu_launch(set, DPU_SYNCHRONOUS), DPU_OK);
    ASSERT_EQ(ringfort_pim_clock_ms(set, &ms), DPU_OK);
    ASSERT_EQ(dpu_free(set), DPU_OK);
  }
  EXPECT_EQ(spent[0], spent[1]);
  EXPECT_GT(spent[0], 0);
}

}  // namespace
}  // namespace ringfort::pim::testing
