// SPDX-License-Identifier: Apache-2.0
// Tests that five kernels take at most the cycles that the design allows. The model counts the cycles. Therefore they
// are exact, and the same on every machine. hw/pim/README.md explains the terms.
#include "cycle_rows.h"

#include "support.h"

namespace ringfort::pim::testing {
namespace {

KernelPaths paths() {
  return {kernel_path("elementwise"), kernel_path("ntt"), kernel_path("accumulate"), kernel_path("tensor"),
          kernel_path("barrett")};
}

class Cycles : public DpuTest {};

TEST_F(Cycles, KernelsKeepTheirBudgets) {
  for (const CycleRow& row : cycle_rows(paths(), without_stealing(), "pim/cycles/")) {
    EXPECT_LE(row.value, row.budget) << row.name;
    EXPECT_GT(row.value, row.budget / 2) << row.name << " is suspiciously small";
  }
}

TEST_F(Cycles, TransformsKeepTheirBudgets) {
  for (const CycleRow& row : transform_rows(paths())) {
    EXPECT_LE(row.value, row.budget) << row.name;
    EXPECT_GT(row.value, row.budget / 2) << row.name << " is suspiciously small";
  }
}

// The model counts some groups of RV32 instructions as fewer DPU instructions (fuse.h). Without these groups, the
// cycles change little. `accumulate` changes most: it loads pairs of words, which take several instructions without
// fusion.
TEST_F(Cycles, FusionChangesAKernelByATenthAtMost_AccumulateByAFifth) {
  const Timing fused = without_stealing(), unfused{.bytes_per_stolen_slot = 0, .fuse = false};
  const auto with = cycle_rows(paths(), fused, ""), without = cycle_rows(paths(), unfused, "");
  for (std::size_t i = 0; i < with.size(); ++i) {
    const double most = with[i].name == "accumulate" ? 1.20 : 1.10;
    EXPECT_LE(without[i].value, most * with[i].value) << with[i].name;
    EXPECT_GE(without[i].value, with[i].value) << with[i].name;
  }
}

// A product by the kernel barrett takes about as many cycles as were published for such code, and at least twenty times
// as many as a 30-bit product.
TEST_F(Cycles, The60BitKernelCostsWhatWasPublished) {
  const double wide = barrett_cycles(paths().barrett, {.bytes_per_stolen_slot = 0, .fuse_pairs = true});
  EXPECT_GE(wide, 1240 * 0.9);
  EXPECT_LE(wide, 1560);
  EXPECT_GE(wide / elementwise_cycles(paths().elementwise, kMultiply30, without_stealing()), 20);
}

// A program that contains a kernel and the run-time library leaves at least a quarter of IRAM free on both chips.
TEST_F(Cycles, ProgramsLeaveRoomOnBothChips) {
  for (const char* name : {"elementwise", "ntt", "accumulate", "tensor", "barrett", "automorphism", "decompose",
                           "inner_product", "convert", "expand", "convolve"}) {
    for (const Chip& chip : kChips) {
      auto loaded = load_program_file(kernel_path(name), chip);
      ASSERT_TRUE(std::holds_alternative<Program>(loaded)) << name << " on " << chip.name;
      EXPECT_LE(std::get<Program>(loaded).instructions.size(), chip.iram_instructions * 3 / 4)
          << name << " on " << chip.name;
    }
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
