// SPDX-License-Identifier: Apache-2.0
// A row is one number of `ringfort bench`, measured or computed from measurements. Python adds the machine and the
// comparisons with other libraries.
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
  std::string name;    // "search/row-b2/t1"
  std::string device;  // "cpu"
  std::vector<std::pair<std::string, Value>> params;
  std::string unit;  // "ms/word"
  double min = 0;
  double median = 0;
  double max = 0;
  std::optional<double> limit_share;  // least time / median (limit.h, search_limit.h)
};

// Tells whether a row's name begins with one of the parts `only`; an empty list accepts all.
[[nodiscard]] inline bool wanted(const std::vector<std::string>& only, const std::string& name) {
  return only.empty() ||
         std::any_of(only.begin(), only.end(), [&](const std::string& begin) { return name.starts_with(begin); });
}

[[nodiscard]] inline Row make_row(std::string name, std::string unit, std::vector<double> samples,
                                  std::vector<std::pair<std::string, Value>> params) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {std::move(name), "cpu", std::move(params), std::move(unit), samples.front(), median, samples.back(), {}};
}

}  // namespace ringfort::bench
