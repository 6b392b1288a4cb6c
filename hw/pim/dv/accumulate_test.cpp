// SPDX-License-Identifier: Apache-2.0
// Tests the kernel accumulate: compares sums of rows with plain remainders. The kernel adds eight rows at a time.
// Therefore the tests have numbers of rows around multiples of eight, and also short columns and the largest sums.
// hw/pim/README.md explains the terms.
#include "accumulate_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

class Accumulate : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("accumulate"), Timing{});
  }

  void check(u32 q, u32 words, u32 rows, bool largest) {
    Words random(rows * 1000 + words);
    std::vector<u32> data(std::size_t{words} * rows), out;
    for (auto& word : data) word = largest ? q - 1 : random.below(q);
    run_accumulate(*run_, q, words, data, out);
    for (u32 i = 0; i < words; ++i) {
      u64 sum = 0;
      for (u32 r = 0; r < rows; ++r) sum += data[std::size_t{r} * words + i];
      ASSERT_EQ(out[i], sum % q) << "q=" << q << " words=" << words << " rows=" << rows << " column " << i;
    }
  }

  std::optional<KernelRun> run_;
};

TEST_F(Accumulate, SumsAnyNumberOfRowsOfAnyLength) {
  for (u64 bits : {17u, 24u, 28u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, 1u << 16);
    for (u32 rows : {1u, 2u, 7u, 8u, 9u, 16u, 37u}) {
      for (u32 words : {2u, 62u, 64u, 66u, 1026u}) check(q, words, rows, false);
    }
  }
}

TEST_F(Accumulate, AMillionWords) {
  for (u64 bits : {24u, 30u}) check(prime_below(u64{1} << bits, 1u << 16), 4096, 250, false);
}

TEST_F(Accumulate, TheLargestSumsKeepTheirUpperBits) {
  for (u64 bits : {24u, 30u}) check(prime_below(u64{1} << bits, 1u << 16), 8, kMostRows, true);
}

}  // namespace
}  // namespace ringfort::pim::testing
