// SPDX-License-Identifier: Apache-2.0
// Runs the launches of cost_cases.h with the DPU programs in a folder. Computes the rows of the table of costs
// (data/kernel_cycles.json) from the cycles of these launches. hw/pim/README.md explains the terms.
#pragma once

#include <stdexcept>

#include "bench/cost_cases.h"
#include "sdk/native/costs.h"
#include "sim/dpu.h"
#include "sim/words.h"

namespace ringfort::pim::testing {

class Bench {
 public:
  explicit Bench(std::string folder) : folder_(std::move(folder)) {}

  u64 cycles(const std::string& kernel, const std::vector<u8>& arguments) const {
    auto loaded = load_program_file(folder_ + "/" + kernel + ".dpu", kV1A);
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) throw std::runtime_error(failure->text);
    Dpu dpu;
    dpu.load(std::make_shared<const Program>(std::move(std::get<Program>(loaded))));
    dpu.write(dpu.program().symbols.find("arguments")->second.address, arguments);
    const RunReport report = dpu.run();
    if (report.fault.code != FaultCode::none) throw std::runtime_error(kernel + ": " + report.fault.text);
    return report.counters.cycles;
  }

  Cost measure(const CostCase& c) const {
    const NativeKernel& kernel = *find_native(c.kernel);
    const Work small = kernel.work(c.small.data()), large = kernel.work(c.large.data());
    const auto first = static_cast<double>(cycles(c.kernel, c.small)),
               second = static_cast<double>(cycles(c.kernel, c.large));
    const double per_unit = (second - first) / (large.units - small.units);
    return {small.shape, first - per_unit * small.units, per_unit};
  }

 private:
  std::string folder_;
};

}  // namespace ringfort::pim::testing
