// SPDX-License-Identifier: Apache-2.0
// One measured number, as `ringfort bench` writes it (machine and comparisons are added in Python).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ringfort::bench {

using Value = std::variant<bool, std::int64_t, double, std::string>;

struct Row {
  std::string name;                // "search/row-b2/t1"
  std::string device;              // "cpu"
  std::vector<std::pair<std::string, Value>> params;
  std::string unit;                // "ms/word"
  double min = 0;
  double median = 0;
  double max = 0;
  std::optional<double> limit_share;   // of the physical limit that the row's header states
};

[[nodiscard]] inline Row make_row(std::string name, std::string unit, std::vector<double> samples, std::vector<std::pair<std::string, Value>> params) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {std::move(name), "cpu", std::move(params), std::move(unit), samples.front(), median, samples.back(), {}};
}

}  // namespace ringfort::bench
