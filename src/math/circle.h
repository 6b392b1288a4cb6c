// SPDX-License-Identifier: Apache-2.0
// Points of the unit circle, as doubles and as integers. The points are the same on every machine, because they are
// computed in 128-bit integers, without libm, and rounded at the end. Machin's formula gives pi. Taylor series in fixed
// point with 126 fractional bits give sine and cosine of some points; every other point is a product of two of these.
// The error before the last rounding is below 2^-100.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

template <class Number>
struct CirclePoint {
  Number x{};
  Number y{};
};

// The points (cos, sin)(2 pi k / order), k in 0 .. order - 1. Only the first eighth is computed; the others follow by
// symmetry, and are exactly symmetric.
class Circle {
 public:
  explicit Circle(u32 order);                                         // a power of two, 8 .. 2^24
  [[nodiscard]] CirclePoint<double> point(u32 k) const noexcept;      // k < order
  [[nodiscard]] CirclePoint<i128> fixed_point(u32 k) const noexcept;  // in units of 2^-126, not rounded

 private:
  u32 eighth_;
  std::vector<CirclePoint<u128>> octant_;  // k in 0 .. order / 8, in units of 2^-126
};

}  // namespace ringfort
