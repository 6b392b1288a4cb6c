// SPDX-License-Identifier: Apache-2.0
// Runs one operation and measures its simulated times (vector_run.h). All results are copied back, to measure the
// transfer. Only the results of the first and the last DPU are checked. hw/pim/README.md explains the terms.
#include "vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

// Returns a function of an index i, which returns word i of the operands that were pushed to a DPU.
std::function<u32(u32)> words_of(const KernelCase& kernel_case, u32 dpu) {
  return [&kernel_case, dpu](u32 index) {
    u32 push = 0;
    while (index >= kernel_case.pushes[push]) index -= kernel_case.pushes[push++];
    return ringfort_pim_word(push + 1, dpu, index, kernel_case.bound);
  };
}

}  // namespace

Times measure_case(const std::string& folder, const std::string& profile, u32 dpus, const KernelCase& kernel_case) {
  testing::HostSystem system(dpus, "fidelity=shapes,timing=" + profile);
  system.load(folder + "/" + kernel_case.kernel + ".dpu");
  auto arguments = kernel_case.arguments;
  testing::require(
      dpu_broadcast_to(system.set(), "arguments", 0, arguments.data(), arguments.size(), DPU_XFER_DEFAULT));
  const std::vector<u32> bounds(dpus, kernel_case.bound);
  Times times;
  const double start = system.clock_ms();
  u32 offset = 0, seed = 1;
  for (u32 words : kernel_case.pushes) {
    testing::require(ringfort_pim_generate(system.set(), offset, words * 4, seed++, bounds.data()));
    offset += words * 4;
  }
  const double pushed = system.clock_ms();
  system.launch();
  const double launched = system.clock_ms();
  times.estimated = system.last_event().estimated;
  times.simulated = system.last_event().simulated;
  const auto result = system.get(kernel_case.out, kernel_case.pulled);
  times.to_ms = pushed - start;
  times.dpu_ms = launched - pushed;
  times.from_ms = system.clock_ms() - launched;
  for (u32 dpu : {0u, dpus - 1}) kernel_case.check(words_of(kernel_case, dpu), result[dpu]);
  return times;
}

}  // namespace ringfort::pim::bench
