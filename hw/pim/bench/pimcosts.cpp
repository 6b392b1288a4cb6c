// SPDX-License-Identifier: Apache-2.0
// The program pimcosts FOLDER. It measures the table of costs with the DPU programs in FOLDER, and prints it, for
// data/kernel_cycles.json. hw/pim/README.md explains the terms.
#include <cstdio>
#include <exception>

#include "bench/cost_table.h"

int main(int count, char** values) try {
  using namespace ringfort::pim::testing;
  if (count != 2) {
    std::fputs("usage: pimcosts FOLDER >data/kernel_cycles.json   (FOLDER: the folder of elementwise.dpu)\n", stderr);
    return 2;
  }
  const Bench bench(values[1]);
  std::puts(
      "{\n \"what\": \"The cost of a launch on one DPU of chip v1A with 16 tasklets: fixed + per_unit max(units, 11 "
      "longest) cycles, with the issue slots that transfers take. Written by bench/pimcosts with clang 19.\",\n "
      "\"rows\": [");
  bool first = true;
  for (const auto& c : cost_cases()) {
    const auto cost = bench.measure(c);
    std::printf("%s  {\"shape\": \"%s\", \"fixed\": %.1f, \"per_unit\": %.5g}", first ? "" : ",\n", cost.shape.c_str(),
                cost.fixed, cost.per_unit);
    first = false;
  }
  std::puts("\n ]\n}");
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "pimcosts: %s\n", problem.what());
  return 1;
}
