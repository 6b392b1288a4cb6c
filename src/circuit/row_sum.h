// SPDX-License-Identifier: Apache-2.0
// A bound on the sum of the absolute values of a row of a matrix. Such a sum bounds the magnitude of a product.
#pragma once

#include <cmath>
#include <complex>
#include <span>

namespace ringfort::ckks {

// Returns an upper bound on the sum of |values|. Each sum and each absolute value has a rounding error of at most 2^-52
// of the result. The factor covers these errors, and the rounding of one later product with the bound.
template <class Value>
[[nodiscard]] double sum_of_sizes(std::span<const Value> values) {
  double sum = 0;
  for (const Value& value : values) sum += std::abs(value);
  return sum * (1 + (static_cast<double>(values.size()) + 4) * 0x1p-52);
}

}  // namespace ringfort::ckks
