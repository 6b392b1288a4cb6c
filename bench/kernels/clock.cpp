// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/bench.h"
#include "bench/kernels/measure.h"

namespace ringfort::bench {
namespace {

double measured_cycles() {
  constexpr u32 kSteps = 1 << 16;
  u64 chain = 1;
  const Spread spread = measure(51, [&] {
    for (u32 i = 0; i < kSteps; ++i) {
      chain += i;                                        // each addition waits for the one before
      __asm__ volatile("" : "+r"(chain));
    }
  });
  return kSteps / spread.min;
}

}  // namespace

double cycles_per_microsecond() {
  static const double cycles = measured_cycles();        // once a process: the shares of one run have one limit
  return cycles;
}

}  // namespace ringfort::bench
