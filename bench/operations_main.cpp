// SPDX-License-Identifier: Apache-2.0
// Prints the benchmark of operations as lines "name median min max unit share of limit". Usage:
//   ringfort_bench_operations [first part of names]...
#include <cstdio>

#include "bench/operations.h"

int main(int count, char** arguments) {
  ringfort::bench::OperationBench options;
  options.only.assign(arguments + 1, arguments + count);
  for (const auto& row : bench_operations(options)) {
    std::printf("%-40s %12.2f %12.2f %12.2f %-10s %6.3f\n", row.name.c_str(), row.median, row.min, row.max,
                row.unit.c_str(), row.limit_share.value_or(0));
  }
  return 0;
}
