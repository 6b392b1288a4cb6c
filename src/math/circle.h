// SPDX-License-Identifier: Apache-2.0
// Points of the unit circle, as doubles and as integers. They are computed in integers of 128 bits, without libm, and
// rounded at the end. Therefore the points are the same on every machine. Machin's formula gives pi. Taylor series in
// fixed point with 126 fractional bits give the coordinates (cosine and sine) of some points. Every other point is a
// product of two of these points, as complex numbers. The error before the last rounding is below 2^-100.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

template <class Number>
struct CirclePoint {
  Number x{};
  Number y{};
};

// The points (cos, sin)(2 pi k / order), for k in 0 .. order - 1. Only the first eighth is computed. The other points
// follow by symmetry. Therefore they are exactly symmetric.
class Circle {
 public:
  explicit Circle(u32 order);                                         // order: a power of two in 8 .. 2^24
  [[nodiscard]] CirclePoint<double> point(u32 k) const noexcept;      // k < order
  [[nodiscard]] CirclePoint<i128> fixed_point(u32 k) const noexcept;  // in units of 2^-126, not rounded

 private:
  u32 eighth_;
  std::vector<CirclePoint<u128>> octant_;  // k in 0 .. order / 8, in units of 2^-126
};

}  // namespace ringfort
