// SPDX-License-Identifier: Apache-2.0
// The experiments that report the cycles of the kernels, and the cost of a product for each width of its modulus. The
// cost of a product comes from the table of costs. In a build without a compiler for DPUs, all cycles come from this
// table. The cycles in rows pim/cycles-stealing include the issue slots that DMA transfers take; those in rows
// pim/cycles do not. hw/pim/README.md explains the terms.
#include <algorithm>
#include <variant>

#include "bench/experiments.h"
#include "dv/cycle_rows.h"
#include "sdk/native/costs.h"

namespace ringfort::pim::bench {
namespace {

Params one_dpu(bool estimated) {
  return Params()
      .set("chip", "v1A")
      .set("tasklets", 16)
      .set("dpus", 1)
      .set("cycles", estimated ? "estimated" : "simulated");
}

bool has_programs(const std::string& folder) {
  return std::holds_alternative<Program>(load_program_file(folder + "/elementwise.dpu", kV1A));
}

struct Named {
  const char *row, *shape, *unit;
  double units;  // number of coefficients, words or butterflies in one unit of work (native.h)
};
constexpr double kButterflies = 2048 * 12;
constexpr Named kNamed[] = {
    {"add32", "elementwise/add", "cycles/coefficient", 1},
    {"accumulate", "accumulate", "cycles/word", 1},
    {"scalar8", "elementwise/scalar8", "cycles/coefficient", 1},
    {"mont30", "elementwise/multiply30", "cycles/coefficient", 1},
    {"mont24", "elementwise/multiply24", "cycles/coefficient", 1},
    {"tensor30", "tensor30", "cycles/coefficient", 1},
    {"tensor24", "tensor24", "cycles/coefficient", 1},
    {"paper60", "barrett/product60", "cycles/coefficient", 1},
    {"butterfly30", "ntt/forward30/12", "cycles/butterfly", kButterflies},
    {"butterfly24", "ntt/forward24/12", "cycles/butterfly", kButterflies},
};

const Cost& cost_of(const std::string& shape) {
  const auto found = std::find_if(kCosts.begin(), kCosts.end(), [&](const Cost& cost) { return cost.shape == shape; });
  if (found == kCosts.end()) throw std::runtime_error("the table of costs lacks " + shape);
  return *found;
}

void from_table(const Setting& setting) {
  for (const Named& named : kNamed)
    setting.rows->add(std::string("pim/cycles-stealing/") + named.row, named.unit,
                      cost_of(named.shape).per_unit / named.units, one_dpu(true));
  for (const char* bits : {"30", "24"}) {
    for (const char* log_n : {"12", "13"}) {
      const double cycles = cost_of(std::string("ntt/forward") + bits + "/" + log_n).per_unit;
      setting.rows->add(std::string("pim/ntt/n") + (log_n[1] == '2' ? "4096" : "8192") + "/q" + bits, "ms",
                        cycles / (kV1A.clock_mhz * 1e3), one_dpu(true));
    }
  }
}

void simulated(const Setting& setting) {
  const std::string f = setting.folder + "/";
  const testing::KernelPaths paths{f + "elementwise.dpu", f + "ntt.dpu", f + "accumulate.dpu", f + "tensor.dpu",
                                   f + "barrett.dpu"};
  const auto add = [&](const std::vector<testing::CycleRow>& rows, bool budgets) {
    for (const auto& row : rows)
      setting.rows->add(row.name, row.unit, row.value, one_dpu(false), budgets ? row.budget : 0);
  };
  add(testing::cycle_rows(paths, testing::without_stealing(), "pim/cycles/"), true);
  add(testing::cycle_rows(paths, {}, "pim/cycles-stealing/"), false);
  add(testing::transform_rows(paths), true);
}

void cycles(const Setting& setting) { has_programs(setting.folder) ? simulated(setting) : from_table(setting); }

// Adds the cycles of one product in a long vector, divided by the number of bits of the modulus.
void products(const Setting& setting) {
  const auto add = [&](const char* name, const char* shape, double bits, double products) {
    const double each = cost_of(shape).per_unit / products;
    setting.rows->add(std::string("pim/modmul/") + name, "cycles/bit", each / bits,
                      one_dpu(true).set("bits", bits).set("cycles_a_product", each));
  };
  add("montgomery30", "elementwise/multiply30", 30, 1);
  add("montgomery24", "elementwise/multiply24", 24, 1);
  add("byte_scalar30", "elementwise/scalar8", 30, 1);
  add("tensor30", "tensor30", 30, 4);
  add("tensor24", "tensor24", 24, 4);
  add("barrett60", "barrett/product60", 60, 1);
}

}  // namespace

std::vector<Experiment> cycle_tables() { return {{"cycles", cycles}, {"modmul", products}}; }

}  // namespace ringfort::pim::bench
