// SPDX-License-Identifier: Apache-2.0
// Tests products in the memory of the caller (ring/elementwise.h) against the definition, and for which arrays they
// exist.
#include "ring/elementwise.h"

#include <gtest/gtest.h>

#include "base/buffer.h"
#include "math/word.h"
#include "ringfort/device.h"
#include "support/vectors.h"

namespace ringfort::testing {
namespace {

TEST(Elementwise, ProductsAreWrittenToTheCallersMemoryOrNotAtAll) {
  for (const u64 q : {u64{12289}, u64{1125899906826241}, u64{1152921504606830593}}) {
    constexpr std::size_t kCount = 3 * 256;
    const auto plan = Elementwise::prepare(kCount, q);
    ASSERT_NE(plan, nullptr) << q;
    AlignedBuffer<u64> a(kCount + 8), b(kCount + 8), out(kCount + 8);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = splitmix64(i) % q, b[i] = splitmix64(i + 1000) % q, out[i] = 7;
    EXPECT_FALSE(plan->multiply(out.data() + 1, a.data(), b.data())) << "not at a cache line";
    EXPECT_FALSE(plan->multiply_scalar(out.data(), a.data() + 1, 3));
    EXPECT_EQ(out[1], 7u);
    if (!plan->multiply(out.data(), a.data(), b.data())) GTEST_SKIP() << default_device() << " has memory of its own";
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], mul_mod(a[i], b[i], q)) << q << " " << i;
    EXPECT_EQ(out[kCount], 7u);
    ASSERT_TRUE(plan->multiply_scalar(out.data(), out.data(), q - 2));
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], mul_mod(mul_mod(a[i], b[i], q), q - 2, q)) << q;
    ASSERT_TRUE(plan->multiply(a.data(), b.data(), b.data()));
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(a[i], mul_mod(b[i], b[i], q)) << q << " " << i;
  }
}

TEST(Elementwise, NoPlanForOtherModuliAndLengths) {
  EXPECT_EQ(Elementwise::prepare(1000, 12289), nullptr);               // 64 does not divide the length
  EXPECT_EQ(Elementwise::prepare(1024, 12289 * u64{40961}), nullptr);  // 1 mod 128, but not a prime
  EXPECT_EQ(Elementwise::prepare(1024, 193), nullptr);                 // 1 mod 64 only
  EXPECT_EQ(Elementwise::prepare(1024, u64{1} << 50), nullptr);
}

}  // namespace
}  // namespace ringfort::testing
