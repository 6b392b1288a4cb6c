// SPDX-License-Identifier: Apache-2.0
// pimcycles FOLDER: the cycle table of the kernels in FOLDER (where the build left elementwise.dpu and the others), as one JSON
// document on standard output. All values are the model's; `limit_share` is the share of the design's budget.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "dv/cycle_rows.h"

namespace {

using namespace ringfort::pim;
using namespace ringfort::pim::testing;

nlohmann::json as_json(const CycleRow& row) {
  return {{"name", row.name},   {"device", "pim"},    {"params", {{"chip", "v1A"}, {"tasklets", 16}, {"dpus", 1}}},
          {"unit", row.unit},   {"min", row.value},   {"median", row.value},
          {"max", row.value},   {"versus", nlohmann::json::array()}, {"limit_share", row.budget == 0 ? nlohmann::json() : nlohmann::json(row.value / row.budget)}};
}

nlohmann::json table(const std::string& folder) {
  const KernelPaths paths{folder + "/elementwise.dpu", folder + "/ntt.dpu", folder + "/accumulate.dpu", folder + "/tensor.dpu", folder + "/barrett.dpu"};
  nlohmann::json rows = nlohmann::json::array();
  const auto append = [&](const std::vector<CycleRow>& part) {
    for (const auto& row : part) rows.push_back(as_json(row));
  };
  append(cycle_rows(paths, without_stealing(), "pim/cycles/"));
  auto stealing = cycle_rows(paths, {}, "pim/cycles-stealing/");
  for (auto& row : stealing) row.budget = 0;  // the budgets are those of the rows above
  append(stealing);
  append(transform_rows(paths));
  return {{"machine", {{"model", "one DPU of chip v1A at 350 MHz, simulated"}}}, {"rows", rows}};
}

}  // namespace

int main(int count, char** values) try {
  if (count != 2) {
    std::fputs("usage: pimcycles FOLDER   (of elementwise.dpu, ntt.dpu, accumulate.dpu, tensor.dpu, barrett.dpu)\n", stderr);
    return 2;
  }
  std::puts(table(values[1]).dump(1).c_str());
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "pimcycles: %s\n", problem.what());
  return 1;
}
