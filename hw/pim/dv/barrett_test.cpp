// SPDX-License-Identifier: Apache-2.0
// Tests the kernel barrett: compares its results with 128-bit remainders. For each width, the moduli are near the
// smallest and the largest numbers of this width. The operands are all pairs of edge values, and random words.
// hw/pim/README.md explains the terms.
#include "barrett_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

class Barrett : public DpuTest {};

TEST_F(Barrett, ProductsAreRemainders) {
  KernelRun run(kernel_path("barrett"), {});
  for (unsigned bits : {33u, 40u, 50u, 59u, 60u}) {
    for (u64 q : {(u64{1} << bits) - 1, (u64{1} << bits) - 16383, (u64{1} << (bits - 1)) + 1}) {
      Words random(bits);
      std::vector<u64> a, b, out;
      const u64 edges[] = {0, 1, 2, 0xffffffff, 0x100000000 % q, q / 2, q / 2 + 1, q - 2, q - 1};
      for (u64 x : edges) {
        for (u64 y : edges) a.push_back(x), b.push_back(y);
      }
      while (a.size() < 5000) a.push_back(random.next() % q), b.push_back(random.next() % q);
      run_barrett(run, kProduct60, q, {a, b, {}}, out);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(out[i], product_mod(a[i], b[i], q)) << "q=" << q << " a=" << a[i] << " b=" << b[i];
      run_barrett(run, kSum60, q, {a, b, {}}, out);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(out[i], (a[i] + b[i]) % q) << "q=" << q << " a=" << a[i] << " b=" << b[i];
    }
  }
}

// The DPU computes the iterations of a transform. Between iterations, the host gathers the two halves. The result is
// equal to the transform by its definition.
TEST_F(Barrett, CooleyTukeyIterationsWithHostExchangeAreATransform) {
  constexpr u64 kQ = 1152921504606683137;  // check-magic: 1152921504606683137 == ntt_prime(60, 2**12, 2)
  constexpr u32 kN = 256;
  u64 root = 0;
  for (u64 base = 2; root == 0; ++base) {
    const u64 power = power_mod(base, (kQ - 1) / (2 * kN), kQ);
    if (power_mod(power, kN, kQ) == kQ - 1) root = power;
  }
  Words random(1);
  std::vector<u64> data(kN);
  for (auto& word : data) word = random.next() % kQ;
  const auto before = data;
  KernelRun run(kernel_path("barrett"), {});
  for (u32 distance = kN / 2, groups = 1; distance >= 1; distance /= 2, groups *= 2) {
    std::vector<u64> a, b, w, out;
    for (u32 group = 0; group < groups; ++group) {
      const u64 twiddle = power_mod(root, reversed_bits(groups + group, kN), kQ);
      for (u32 j = 0; j < distance; ++j)
        a.push_back(data[2 * group * distance + j]), b.push_back(data[(2 * group + 1) * distance + j]),
            w.push_back(twiddle);
    }
    run_barrett(run, kButterfly60, kQ, {a, b, w}, out);
    for (u32 i = 0; i < kN / 2; ++i) {
      const u32 low = 2 * (i / distance) * distance + i % distance;
      data[low] = out[i], data[low + distance] = out[kN / 2 + i];
    }
  }
  for (u32 index = 0; index < kN; ++index) {
    const u64 point = power_mod(root, 2 * reversed_bits(index, kN) + 1, kQ);
    u64 sum = 0;
    for (u32 j = kN; j-- > 0;) sum = (product_mod(sum, point, kQ) + before[j]) % kQ;
    ASSERT_EQ(data[index], sum) << index;
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
