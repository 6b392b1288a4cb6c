// SPDX-License-Identifier: Apache-2.0
// The 60-bit kernel against 128-bit remainders: moduli at both ends of each width, edge values in all pairs, random words.
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
      run_barrett(run, q, a, b, out);
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(out[i], product_mod(a[i], b[i], q)) << "q=" << q << " a=" << a[i] << " b=" << b[i];
    }
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
