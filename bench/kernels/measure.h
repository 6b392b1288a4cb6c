// SPDX-License-Identifier: Apache-2.0
// Measures the time of a call, for benchmarks of kernels. It repeats the call in batches that take about 60 us or more.
// It returns the minimum, the median and the maximum of the time per call, in microseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace ringfort::bench {

struct Spread {
  double min = 0, median = 0, max = 0;
};

inline double microseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

template <class F>
[[nodiscard]] Spread measure(unsigned repeats, F call) {
  constexpr double kBatchMicroseconds = 60;
  std::size_t batch = 1;
  for (;; batch *= 2) {  // also warms up
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < batch; ++i) call();
    if (microseconds_since(begin) >= kBatchMicroseconds) break;
  }
  std::vector<double> values(std::max(repeats, 15u));
  for (double& value : values) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < batch; ++i) call();
    value = microseconds_since(begin) / static_cast<double>(batch);
  }
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

}  // namespace ringfort::bench
