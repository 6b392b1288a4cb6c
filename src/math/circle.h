// SPDX-License-Identifier: Apache-2.0
// Points of the unit circle, as doubles and as integers, the same on every machine: no libm, 128-bit integers up to the
// last rounding. Machin's formula gives pi. Taylor series in fixed point with 126 fractional bits give sine and cosine
// of some points; every other point is one product of two of these. Points are within 2^-100 of the true value, then
// rounded to nearest.
#pragma once

#include <vector>

#include "math/types.h"

namespace ringfort {

template <class Number>
struct CirclePoint {
  Number x{};
  Number y{};
};

// (cos, sin)(2 pi k / order), k in 0 .. order - 1, computed from the first eighth only: symmetries are exact.
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
