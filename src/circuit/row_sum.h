// SPDX-License-Identifier: Apache-2.0
// Bound on the sum of a matrix row's absolute values, which bounds the magnitude of a product.
#pragma once

#include <cmath>
#include <complex>
#include <span>

namespace ringfort::ckks {

// Returns an upper bound on the sum of |values|. The factor covers the rounding of every sum and every absolute value,
// each at most 2^-52 of the result, and the rounding of one product with the bound.
template <class Value>
[[nodiscard]] double sum_of_sizes(std::span<const Value> values) {
  double sum = 0;
  for (const Value& value : values) sum += std::abs(value);
  return sum * (1 + (static_cast<double>(values.size()) + 4) * 0x1p-52);
}

}  // namespace ringfort::ckks
