// SPDX-License-Identifier: Apache-2.0
// The normal distribution without its tails, under SEAL's name: values beyond max_deviation are drawn again.
#pragma once

#include <cmath>
#include <random>
#include <stdexcept>

namespace seal {
namespace util {

// std::invalid_argument: a deviation is negative.
class ClippedNormalDistribution {
 public:
  using result_type = double;
  using param_type = ClippedNormalDistribution;

  ClippedNormalDistribution(double mean, double standard_deviation, double max_deviation)
      : normal_(mean, standard_deviation),
        max_deviation_(max_deviation) {
    if (!(standard_deviation >= 0) || !(max_deviation >= 0))
      throw std::invalid_argument("the deviations of a distribution are not negative");
  }
  template <class Engine>
  [[nodiscard]] double operator()(Engine& engine) {
    for (;;) {
      const double value = normal_(engine);
      if (std::abs(value - normal_.mean()) <= max_deviation_) return value;
    }
  }
  [[nodiscard]] double mean() const noexcept { return normal_.mean(); }
  [[nodiscard]] double standard_deviation() const noexcept { return normal_.stddev(); }
  [[nodiscard]] double max_deviation() const noexcept { return max_deviation_; }
  [[nodiscard]] double min() const noexcept { return mean() - max_deviation_; }
  [[nodiscard]] double max() const noexcept { return mean() + max_deviation_; }
  void reset() { normal_.reset(); }

 private:
  std::normal_distribution<double> normal_;
  double max_deviation_;
};

}  // namespace util
}  // namespace seal
