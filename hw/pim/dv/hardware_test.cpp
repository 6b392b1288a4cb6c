// SPDX-License-Identifier: Apache-2.0
// Compares the model with timings of the benchmark suite PrIM [GomezLuna22] on real hardware (data/prim_hardware.json).
// The kernels are vector addition, reduction and five other streaming kernels. The tests compare the cycles per
// element, and the time of every published row. The time of a row includes the launch. Another test compares WRAM
// copies with the published bandwidth. hw/pim/README.md explains the terms.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sdk/host/profile.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

// The cycles for a vector of `bytes` bytes are fixed + per_byte * bytes. Two runs determine `fixed` and `per_byte`.
struct Line {
  double fixed, per_byte;
  double at(double bytes) const { return fixed + per_byte * bytes; }
};

double run_stream(const std::string& program, u32 bytes, const Timing& timing) {
  Dpu dpu = ready(program, timing);
  set<u32>(dpu, "bytes", bytes);
  const RunReport report = dpu.run();
  EXPECT_EQ(report.fault.text, "");
  return static_cast<double>(report.counters.cycles);
}

Line line_of(const std::string& program, const Timing& timing) {
  constexpr u32 kBytes = 1 << 19;
  const double one = run_stream(program, kBytes, timing), two = run_stream(program, 2 * kBytes, timing);
  return {2 * one - two, (two - one) / kBytes};
}

// The timing of a program whose functions all compute with 64-bit words: two accesses to neighbouring 32-bit words cost
// one issue slot (hw/pim/sim/chip.h), because the DPU loads and stores 64 bits by one instruction.
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

// The kernels of programs/prim.c compute the right results. If they did not, their times would mean nothing.
TEST_F(Hardware, HistogramSelectionAndScanAreRight) {
  constexpr u32 kBytes = 1 << 16;
  Words random(3);
  std::vector<u32> pixels(kBytes / 4), expected(256);
  for (auto& pixel : pixels) pixel = random.below(4096), ++expected[pixel / 16];
  Dpu histogram = ready("prim_1");
  put(histogram, address(histogram, "__sys_used_mram_end"), pixels);
  set<u32>(histogram, "bytes", kBytes);
  ASSERT_EQ(histogram.run().fault.text, "");
  EXPECT_EQ(get<u32>(histogram, address(histogram, "histogram"), 256), expected);
  for (int kernel : {2, 3}) {
    std::vector<u64> words(kBytes / 8), chosen;
    for (auto& word : words) word = random.next();
    for (u64 sum = 0; auto word : words) {
      sum += word;
      if (kernel == 3) chosen.push_back(sum);
      else if (word % 2 == 0) chosen.push_back(word);
    }
    Dpu dpu = ready("prim_" + std::to_string(kernel), k64Bit);
    const u32 heap = address(dpu, "__sys_used_mram_end");
    put(dpu, heap, words);
    set<u32>(dpu, "bytes", kBytes);
    ASSERT_EQ(dpu.run().fault.text, "");
    if (kernel == 2) ASSERT_EQ(get<u32>(dpu, "kept"), chosen.size());
    else ASSERT_EQ(get<u64>(dpu, "sum_of_all"), chosen.back());
    EXPECT_EQ(get<u64>(dpu, heap + kBytes, chosen.size()), chosen);
  }
}

// Measures a kernel on inputs like those of the suite. The input of the histogram is random pixels. The input of the
// other kernels is the 64-bit words 1, 2, 3 and so on.
Line prim_line(int kernel) {
  constexpr u32 kBytes = 1 << 18;
  double cycles[2];
  for (u32 multiple : {1u, 2u}) {
    Dpu dpu = ready("prim_" + std::to_string(kernel), kernel == 1 ? Timing{} : k64Bit);
    const u32 heap = address(dpu, "__sys_used_mram_end");
    Words random(1);
    std::vector<u32> words(multiple * kBytes / 4);
    for (u32 i = 0; i < words.size(); ++i) words[i] = kernel == 1 ? random.below(4096) : i % 2 != 0 ? 0 : i / 2 + 1;
    put(dpu, heap, words);
    set<u32>(dpu, "bytes", multiple * kBytes);
    cycles[multiple - 1] = static_cast<double>(dpu.run().counters.cycles);
  }
  return {2 * cycles[0] - cycles[1], (cycles[1] - cycles[0]) / kBytes};
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
  double determination() const {  // coefficient of determination, R^2
    double mean = 0, spread = 0;
    for (double value : measured) mean += value / static_cast<double>(measured.size());
    for (double value : measured) spread += (value - mean) * (value - mean);
    return 1 - sum_squares / spread;
  }
};

struct Benchmark {
  const char* name;
  double element_bytes;
  Line line;
  std::size_t least_rows;   // least number of published rows
  double tolerance = 0.20;  // of the mean relative error
};

// Compares the published rows of kernels with the model. The model's time of a row is the time of the launch plus the
// cycles for the elements of one DPU.
void check_rows(const std::vector<Benchmark>& benchmarks) {
  std::ifstream file(std::string(PIM_ROOT) + "/data/prim_hardware.json");
  const auto rows = nlohmann::json::parse(file)["rows"];
  const double launch_ms = find_profile("prim-2021").value().launch_ms(1);
  Error all;
  for (const auto& b : benchmarks) {
    Error error;
    for (const auto& row : rows) {
      if (row["benchmark"] != b.name) continue;
      const double cycles = b.line.at(b.element_bytes * row["elements"].get<double>() / row["dpus"].get<double>());
      const double model = launch_ms + cycles / (kV1A.clock_mhz * 1e3);
      error.add(model, row["kernel_ms"]);
      all.add(model, row["kernel_ms"]);
    }
    EXPECT_GE(error.measured.size(), b.least_rows) << b.name;
    EXPECT_LE(error.mean_relative(), b.tolerance) << b.name;
    ::testing::Test::RecordProperty(b.name, std::to_string(error.mean_relative()));
  }
  EXPECT_GE(all.determination(), 0.95);
}

TEST_F(Hardware, EveryPublishedRowOfSumsAndReductionsIsMet) {
  check_rows({{"VA", 4, line_of("stream_1", {}), 15}, {"RED", 8, line_of("stream_2", k64Bit), 12}});
}

// These kernels mix arithmetic, branches, synchronisation and DMA in another way than the kernels to which the
// constants of the model were fitted.
TEST_F(Hardware, EveryPublishedRowOfThreeOtherKernelsIsMet) {
  check_rows({{"HST-S", 4, prim_line(1), 12}, {"SEL", 8, prim_line(2), 12}, {"SCAN-RSS", 8, prim_line(3), 12}});
}

// Returns inputs like those of the PrIM suite: words in ascending order. For UNI, which removes repeated neighbours,
// each word occurs twice.
std::vector<u64> words_in_order(int kernel, u32 count) {
  std::vector<u64> words(count);
  for (u32 i = 0; i < count; ++i) words[i] = kernel >= 4 ? i / 2 : i;
  return words;
}

Dpu doubles(int kernel, u32 bytes, const Timing& timing = {}) {
  Dpu dpu = ready("doubles_" + std::to_string(kernel), timing);
  put(dpu, address(dpu, "__sys_used_mram_end"), words_in_order(kernel, bytes / 8));
  set<u32>(dpu, "bytes", bytes);
  set<i64>(dpu, "offset", 7);
  return dpu;
}

TEST_F(Hardware, KernelsOn64BitWordsAreRight) {
  constexpr u32 kBytes = 1 << 17, kCount = kBytes / 8;
  for (int kernel : {1, 2, 3, 4, 5}) {
    Dpu dpu = doubles(kernel, kBytes);
    ASSERT_EQ(dpu.run().fault.text, "");
    const auto out = get<u64>(dpu, address(dpu, "__sys_used_mram_end") + kBytes, kCount);
    if (kernel == 1) { EXPECT_EQ(get<u64>(dpu, "offset"), u64{kCount} * (kCount - 1) / 2); }
    if (kernel >= 4) {
      // The kernel always keeps the first word of a block. In this input, two equal words are always in the same block.
      ASSERT_EQ(get<u32>(dpu, "kept"), kCount / 2);
      for (u32 i = 0; i < kCount / 2; ++i) ASSERT_EQ(out[i], i);
    }
    u64 sum = kernel == 2 ? 7 : 0;
    for (u32 i = 0; i < kCount && (kernel == 2 || kernel == 3); ++i) ASSERT_EQ(out[i], sum += i) << kernel;
  }
}

Line doubles_line(int kernel, const Timing& timing = {}) {
  constexpr u32 kBytes = 1 << 18;
  double cycles[2];
  for (u32 multiple : {1u, 2u}) {
    Dpu dpu = doubles(kernel, multiple * kBytes, timing);
    cycles[multiple - 1] = static_cast<double>(dpu.run().counters.cycles);
  }
  return {2 * cycles[0] - cycles[1], (cycles[1] - cycles[0]) / kBytes};
}

// Compares kernels in plain C, with the default timing. With this timing, two accesses to neighbouring 32-bit words
// cost one issue slot only in functions that compute with 64-bit words. The simulator itself finds these functions
// (hw/pim/sim/doubles.h). For UNI, the times of the model differ from the published times; docs/pim.md has the reason.
TEST_F(Hardware, RowsOfPlainKernelsOn64BitWordsAreMetButForUni) {
  check_rows({{"RED", 8, doubles_line(1), 12},
              {"SCAN-SSA", 8, doubles_line(2), 12},
              {"SCAN-RSS", 8, doubles_line(3), 12},
              {"UNI", 8, doubles_line(4), 12, 0.40}});
}

// UNI has a barrier in each round. In the model, this barrier separates copies from arithmetic. While the next blocks
// are copied, the pipeline has nothing to issue. While the last tasklets compute, the DMA engine has nothing to copy. A
// kernel without this barrier takes the times of the published rows.
TEST_F(Hardware, RowsOfUniAreMetByAKernelWithoutABarrierInEachRound) {
  check_rows({{"UNI", 8, doubles_line(5), 12, 0.10}});
  constexpr u32 kBytes = 1 << 18;
  const Counters with = doubles(4, kBytes).run().counters, without = doubles(5, kBytes).run().counters;
  const auto idle = [](const Counters& c) {
    return 1 - static_cast<double>(c.instructions + c.stolen_slots) / static_cast<double>(c.cycles);
  };
  EXPECT_GT(idle(with), 0.30);
  EXPECT_LT(idle(without), 0.05);
  EXPECT_EQ(with.dma_bytes, without.dma_bytes);
}

// The simulator finds the functions that compute with 64-bit words. If it treats all functions as such (k64Bit), the
// time changes by at most 1 %. Without `fuse`, no group of RV32 instructions counts as fewer DPU instructions, and a
// scan takes far longer.
TEST_F(Hardware, FunctionsThatComputeWith64BitWordsAreFound) {
  for (int kernel : {1, 2, 3, 4})
    EXPECT_NEAR(doubles_line(kernel).per_byte / doubles_line(kernel, k64Bit).per_byte, 1, 0.01) << kernel;
  EXPECT_LT(doubles_line(2).per_byte, 0.75 * doubles_line(2, Timing{.fuse = false}).per_byte);
}

}  // namespace
}  // namespace ringfort::pim::testing
