// SPDX-License-Identifier: Apache-2.0
// Compares the table of costs in data/kernel_cycles.json with the simulator, for the small launches from which the
// table is computed, and for launches of other sizes. Launches whose simulation takes long are compared only with
// RINGFORT_COUNTS=full. hw/pim/README.md explains the terms.
#include <cmath>

#include "bench/cost_table.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

class Costs : public DpuTest {
 protected:
  static void near(const std::string& kernel, const std::vector<u8>& arguments, double tolerance) {
    const Work work = find_native(kernel)->work(arguments.data());
    const auto table = cycles_from_table(work);
    ASSERT_TRUE(table) << work.shape << ": run pimcosts";
    const auto measured = static_cast<double>(Bench(PIM_KERNELS).cycles(kernel, arguments));
    EXPECT_NEAR(*table / measured, 1, tolerance) << work.shape << " of " << work.units << " units takes " << measured;
  }

  template <class Arguments>
  static void near(const std::string& kernel, const Arguments& arguments, double tolerance) {
    near(kernel, cost_case(kernel, arguments, arguments).small, tolerance);
  }
};

TEST_F(Costs, TheShippedTableIsWhatTheSimulatorMeasures) {
  for (const auto& c : cost_cases()) {
    const std::string shape = find_native(c.kernel)->work(c.small.data()).shape;
    const bool is_long =
        shape.ends_with("/14") || shape.ends_with("/15") || shape.ends_with("/16") || c.kernel == "convolve";
    if (is_long && !all_counts()) continue;
    near(c.kernel, c.small, 0.05);
  }
}

TEST_F(Costs, OtherSizesAreMetWithinATenth) {
  near("elementwise", ElementwiseArguments{kMultiply30, 1073479681, 20000, 0, 0, 1 << 20, 0, 3 << 20, 0, 0}, 0.1);
  near("accumulate", AccumulateArguments{1073479681, 0, 4096, 100, 0, 8 << 20, 1, 1}, 0.1);
  near("tensor", TensorArguments{16580609, 1, 10000, 0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20}, 0.1);
  near("inner_product", InnerProductArguments{1073479681, 0, 2048, 1, 20, 3, 0, 0, 8 << 20, 16 << 20}, 0.1);
  near("convert",
       ConvertArguments{kConvert, kCentred, 0, 2048, 12, 3, 0, 4 << 20, 8 << 20, 16 << 20, 17 << 20, 18 << 20}, 0.1);
  near("convert",
       ConvertArguments{kConvert, kCentred, 1, 2048, 2, 8, 0, 4 << 20, 8 << 20, 16 << 20, 17 << 20, 18 << 20}, 0.1);
  near("convolve", ConvolveArguments{65537, 512, 0, 512, 0, 1 << 20, 2 << 20}, 0.1);
  near("decompose", DecomposeArguments{1073479681, 20000, 2, 5, 6, 0, 1, 0, 8 << 20}, 0.1);
}

// This launch takes a tenth of a millisecond. A quarter of this time is the start of the program.
TEST_F(Costs, ShortLaunchesAreMetWithinAQuarter) {
  near("elementwise", ElementwiseArguments{kMultiply30, 1073479681, 512, 0, 0, 1 << 20, 0, 3 << 20, 0, 0}, 0.25);
}

}  // namespace
}  // namespace ringfort::pim::testing
