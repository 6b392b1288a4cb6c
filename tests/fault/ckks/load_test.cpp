// SPDX-License-Identifier: Apache-2.0
// Lets the k-th allocation fail while a file is read, for every k and every type of file of CKKS, BFV and BGV except
// sealed keys. The reader must return or throw the right error. Afterwards the reader must read the same bytes without
// an error.
#include "support/allocation.h"
#include "support/leveled_files.h"

namespace ringfort::testing {
namespace {

TEST(LoadAllocation, EveryFileTypeFailsCleanlyAndIsReadAfterwards) {
  const auto samples = make_leveled_samples();
  (void)receiver();
  for (const auto& sample : samples) {
    if (sample.name == "ckks-sealed.key") continue;  // each try would derive a key from the passphrase with 64 MiB
    const auto failures = fail_every_allocation([&](u64 k) {
      try {
        const auto refused = decode_leveled(sample.name, sample.bytes);
        if (refused) {
          EXPECT_EQ(refused->code, Code::out_of_memory) << sample.name << " k=" << k << ": " << refused->problem;
        }
        return !refused.has_value();
      } catch (const std::bad_alloc&) {
      } catch (const Error& error) { EXPECT_EQ(error.code(), Code::out_of_memory) << sample.name << " k=" << k; }
      return false;
    });
    EXPECT_GT(failures.count, 1U) << sample.name;
    EXPECT_TRUE(failures.are_mostly_reported()) << sample.name << ": " << failures.unreported.size();
    EXPECT_FALSE(decode_leveled(sample.name, sample.bytes).has_value()) << sample.name;
  }
}

}  // namespace
}  // namespace ringfort::testing
