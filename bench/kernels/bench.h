// SPDX-License-Identifier: Apache-2.0
// Kernel benchmarks as rows of numbers. Every value is microseconds (nanoseconds for modmul) per operation, over at least
// `repeats` batches of at least 40 us each, in one thread; the caller pins it. Names:
//   ntt/{forward,inverse}/n{1024,2048,8192,32768}/q{30,31,50,60}     polymul/{fused,composed}/n../q..
//   modmul/{builtin,barrett,dhem,proposed,shoup,montgomery}/q{28,29,30,60,62}: absent where a reduction refuses
//   kernel/inner_product/{literal,gsw128}, kernel/decompose/{bits,base15}
// limit_share = (multiplications of full vectors / (2 a cycle)) / cycles taken: the share of what two multiplying ports allow
// if nothing else cost anything; absent where the instruction set has no such vectors. Multiplications per butterfly of 8
// lanes: 3 (52-bit multiplier), 10 (64-bit words from 32-bit products).
#pragma once

#include <string>
#include <vector>

#include "bench/row.h"
#include "math/types.h"

namespace ringfort::bench {

struct KernelBench {
  std::string device = "cpu";
  u32 repeats = 15;
};

// Empty where the device does not exist. Throw std::bad_alloc.
[[nodiscard]] std::vector<Row> bench_ntt(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_polymul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_modmul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_inner_product(const KernelBench& options = {});

// Clock of this core while it runs plain additions, one a cycle.
[[nodiscard]] double cycles_per_microsecond();

}  // namespace ringfort::bench
