// SPDX-License-Identifier: Apache-2.0
// Scales as sums of two doubles [JoldesMullerPopescu17]. With one double, the rounding of the scale would give every
// value a relative error of 2^-53 after the first product, and twice as much after each further product. For scales
// above 2^60, this error exceeds the noise. With two doubles, the error is below the rounding of a coefficient, and the
// bounds include it. Scales are public, so branches may depend on them.
#pragma once

#include "math/types.h"

namespace ringfort::ckks {

struct Scale {
  double high = 1;
  double low = 0;  // at most half a unit in the last place of `high`
  bool operator==(const Scale&) const = default;
};

// Relative error: at most 5 u^2 for a product and 15.1 u^2 for a quotient, u = 2^-53. kScaleRounding is 256 u^2, which
// covers sequences of them.
inline constexpr double kScaleRounding = 0x1p-98;

[[nodiscard]] Scale exact_scale(u64 integer) noexcept;  // below 2^63
[[nodiscard]] Scale operator*(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] Scale operator/(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] double distance(const Scale& a, const Scale& b) noexcept;  // |a - b|, rounded up

}  // namespace ringfort::ckks
