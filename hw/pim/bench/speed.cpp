// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the simulator itself, on one core of this machine. The unit is DPU instructions per second of
// wall time. The two kernels are a transform, which mostly computes, and sums, which mostly wait for transfers. No
// simulated time depends on this speed. hw/pim/README.md explains the terms.
#include <algorithm>
#include <chrono>
#include <variant>

#include "bench/experiments.h"
#include "bench/host_cpu.h"
#include "dv/cycle_rows.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

// Returns the least, median and largest speed of a kernel, in millions of instructions per second. The kernel must have
// run once before.
std::array<double, 3> measured(testing::KernelRun& kernel) {
  std::array<double, 5> rates;
  for (double& rate : rates) {
    const auto start = std::chrono::steady_clock::now();
    const u64 instructions = kernel.launch().instructions;
    rate = static_cast<double>(instructions) /
           std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(rates.begin(), rates.end());
  return {rates.front(), rates[rates.size() / 2], rates.back()};
}

void simulator_rows(const Setting& setting) {
  const std::string transform_program = setting.folder + "/ntt.dpu";
  // without a compiler for DPUs, the simulator runs no kernel
  if (!std::holds_alternative<Program>(load_program_file(transform_program, kV1A))) return;
  const Params params = Params().set("time", "measured here").set("threads", 1);
  const testing::Transform t = testing::make_transform(30, 12);
  testing::KernelRun transform(transform_program, {}), accumulate(setting.folder + "/accumulate.dpu", {});
  std::vector<u32> words(16 * t.n(), t.q / 3), out;
  (void)testing::run_transform(transform, t, kForward, words);
  setting.rows->add_spread("pim/simulator/transform", "MIPS", measured(transform), params);
  (void)testing::run_accumulate(accumulate, t.q, 1024, std::vector<u32>(2048 * 1024, 12345), out);
  setting.rows->add_spread("pim/simulator/accumulate", "MIPS", measured(accumulate), params);
}

}  // namespace

std::vector<Experiment> simulator_speed() { return {{"simulator", simulator_rows}}; }

}  // namespace ringfort::pim::bench
