// SPDX-License-Identifier: Apache-2.0
// Scales as sums of two doubles [JoldesMullerPopescu17]. In one double the rounding of a scale would be an error of
// every value, 2^-53 of it after the first product and twice as much after each further one: above the noise where
// scales pass 2^60. In two it is below the rounding of any coefficient, and counted like it. Scales are public: speed
// and timing do not matter here.
#pragma once

#include "math/types.h"

namespace ringfort::ckks {

struct Scale {
  double high = 1;
  double low = 0;  // at most half a unit in the last place of `high`
  bool operator==(const Scale&) const = default;
};

// Relative: a product errs by at most 5 u^2, a quotient by 15.1 u^2, u = 2^-53; sixteen of them.
inline constexpr double kScaleRounding = 0x1p-98;

[[nodiscard]] Scale exact_scale(u64 integer) noexcept;  // below 2^63
[[nodiscard]] Scale operator*(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] Scale operator/(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] double distance(const Scale& a, const Scale& b) noexcept;  // |a - b|, rounded up

}  // namespace ringfort::ckks
