// SPDX-License-Identifier: Apache-2.0
// Computes the points of the unit circle (circle.h).
#include "math/circle.h"

#include <bit>
#include <utility>

#include "base/assert.h"
#include "math/word.h"

namespace ringfort {

namespace {

// A number in [0, 4) with 126 fractional bits.
using Fixed = u128;
constexpr u32 kFraction = 126;
constexpr Fixed kOne = Fixed{1} << kFraction;

constexpr Fixed times(Fixed a, Fixed b) noexcept {  // rounded down
  const Wide128 product = mul_wide<u128>(a, b);
  return product.hi << (128 - kFraction) | product.lo >> kFraction;
}

// Returns atan(1 / x) = 1/x - 1/(3 x^3) + 1/(5 x^5) - ...
Fixed inverse_tangent(u32 x) noexcept {
  Fixed power = kOne / x, sum = power;
  for (u32 k = 1; power != 0; ++k) {
    power /= x * x;
    const Fixed term = power / (2 * k + 1);
    sum = k % 2 == 0 ? sum + term : sum - term;
  }
  return sum;
}

using FixedPoint = CirclePoint<Fixed>;

// Requires angle <= pi / 4, so that no partial sum becomes negative (Fixed is unsigned).
FixedPoint by_series(Fixed angle) noexcept {
  FixedPoint sum{kOne, 0};
  Fixed term = kOne;
  for (u32 k = 1; term != 0; ++k) {
    term = times(term, angle) / k;
    Fixed& target = k % 2 == 0 ? sum.x : sum.y;
    target = k % 4 < 2 ? target + term : target - term;
  }
  return sum;
}

FixedPoint rotated(const FixedPoint& a, const FixedPoint& b) noexcept {
  return {times(a.x, b.x) - times(a.y, b.y), times(a.x, b.y) + times(a.y, b.x)};
}

// Computes point k of the circle from a point of the first eighth, by reflection. `rounded` converts a coordinate to a
// signed number.
template <class Number, class Round>
CirclePoint<Number> reflected(const std::vector<FixedPoint>& octant, u32 eighth, u32 k, Round rounded) noexcept {
  const u32 eighths = k / eighth, rest = k % eighth;
  const FixedPoint& p = octant[eighths % 2 == 0 ? rest : eighth - rest];
  CirclePoint<Number> out{rounded(p.x), rounded(p.y)};
  if (((eighths + 1) & 2) != 0) std::swap(out.x, out.y);  // for eighths 1, 2, 5, 6
  return {eighths >= 2 && eighths < 6 ? -out.x : out.x, eighths >= 4 ? -out.y : out.y};
}

}  // namespace

Circle::Circle(u32 order) : eighth_(order / 8), octant_(eighth_ + 1) {
  RF_ASSERT(std::has_single_bit(order) && order >= 8 && order <= (1u << 24));
  const Fixed quarter_pi = 4 * inverse_tangent(5) - inverse_tangent(239);
  const u32 step = 1u << (static_cast<u32>(std::countr_zero(eighth_)) / 2);
  std::vector<FixedPoint> fine(step);
  for (u32 j = 0; j < step; ++j) fine[j] = by_series(quarter_pi / eighth_ * j);
  for (u32 i = 0; i <= eighth_; i += step) {
    const FixedPoint coarse = by_series(quarter_pi / eighth_ * i);
    for (u32 j = 0; j < step && i + j <= eighth_; ++j) { octant_[i + j] = rotated(coarse, fine[j]); }
  }
}

CirclePoint<double> Circle::point(u32 k) const noexcept {
  return reflected<double>(octant_, eighth_, k, [](Fixed x) { return static_cast<double>(x) * 0x1p-126; });
}

CirclePoint<i128> Circle::fixed_point(u32 k) const noexcept {
  return reflected<i128>(octant_, eighth_, k, [](Fixed x) { return static_cast<i128>(x); });
}

}  // namespace ringfort
