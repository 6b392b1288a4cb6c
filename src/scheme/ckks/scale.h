// SPDX-License-Identifier: Apache-2.0
// Scales as sums of two doubles [JoldesMullerPopescu17]. A ciphertext contains its values times its scale. If a scale
// were one double, its rounding would give every value a relative error of 2^-53 after the first product. Each further
// product would double this error. For scales above 2^60, the error would exceed the noise. With two doubles, the error
// is smaller than the rounding of a coefficient, and the bounds include it. Scales are public. Therefore branches may
// depend on them.
#pragma once

#include "math/types.h"

namespace ringfort::ckks {

struct Scale {
  double high = 1;
  double low = 0;  // at most half a unit in the last place of `high`
  bool operator==(const Scale&) const = default;
};

// Let u = 2^-53. The relative error is at most 5 u^2 for a product, and at most 15.1 u^2 for a quotient. The constant
// kScaleRounding is 256 u^2, which covers sequences of products and quotients.
inline constexpr double kScaleRounding = 0x1p-98;

[[nodiscard]] Scale exact_scale(u64 integer) noexcept;  // below 2^63
[[nodiscard]] Scale operator*(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] Scale operator/(const Scale& a, const Scale& b) noexcept;
[[nodiscard]] double distance(const Scale& a, const Scale& b) noexcept;  // |a - b|, rounded up

}  // namespace ringfort::ckks
