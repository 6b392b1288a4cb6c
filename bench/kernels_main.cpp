// SPDX-License-Identifier: Apache-2.0
// Prints the kernel benchmarks as lines "name device median min max unit share". Usage:
//   ringfort_bench_kernels [all|ntt|polymul|modmul|limbs|inner_product [DEVICE]]
#include <cstdio>
#include <cstring>

#include "bench/kernels/bench.h"

namespace {

void print(const std::vector<ringfort::bench::Row>& rows) {
  for (const auto& row : rows) {
    std::printf("%-34s %-12s %10.4f %10.4f %10.4f %s", row.name.c_str(), row.device.c_str(), row.median, row.min,
                row.max, row.unit.c_str());
    if (row.limit_share) std::printf("  %3.0f %% of the limit", *row.limit_share * 100);
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  ringfort::bench::KernelBench options;
  if (count > 2) options.device = arguments[2];
  const char* only = count > 1 ? arguments[1] : "all";
  const auto wanted = [&](const char* name) { return std::strcmp(only, "all") == 0 || std::strcmp(only, name) == 0; };
  if (wanted("ntt")) print(bench_ntt(options));
  if (wanted("polymul")) print(bench_polymul(options));
  if (wanted("modmul")) print(bench_modmul(options));
  if (wanted("limbs")) print(bench_limbs(options));
  if (wanted("inner_product")) print(bench_inner_product(options));
  return 0;
}
