// SPDX-License-Identifier: Apache-2.0
// Arithmetic on scales, which are sums of two doubles (scale.h).
#include "scheme/ckks/scale.h"

#include <cmath>

namespace ringfort::ckks {

namespace {

// Returns a + b as a Scale. The result is exact if |a| >= |b|.
Scale sum_of(double a, double b) noexcept {
  const double high = a + b;
  return {high, b - (high - a)};
}

}  // namespace

Scale exact_scale(u64 integer) noexcept {
  const double high = static_cast<double>(integer);
  return {high, static_cast<double>(static_cast<i64>(integer - static_cast<u64>(high)))};
}

Scale operator*(const Scale& a, const Scale& b) noexcept {
  const double high = a.high * b.high, rest = std::fma(a.high, b.high, -high);
  return sum_of(high, rest + std::fma(a.high, b.low, a.low * b.high));
}

Scale operator/(const Scale& a, const Scale& b) noexcept {
  const double high = a.high / b.high;
  const Scale back = b * Scale{high, 0};
  return sum_of(high, ((a.high - back.high) + (a.low - back.low)) / b.high);
}

double distance(const Scale& a, const Scale& b) noexcept {
  const double low = a.low - b.low, gap = std::abs((a.high - b.high) + low);
  return gap + (gap + std::abs(low)) * 0x1p-50;
}

}  // namespace ringfort::ckks
