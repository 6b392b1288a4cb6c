// SPDX-License-Identifier: Apache-2.0
// Rounds decrypted values, without branches on them (rounding.h).
#include "scheme/ckks/rounding.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "math/types.h"

namespace ringfort::ckks {

double step_for(double error) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(error, &exponent);
  return std::ldexp(1, fraction * std::numbers::sqrt2 >= 1 ? exponent : exponent - 1);
}

double step_error(double step) noexcept { return step * (std::numbers::sqrt2 / 2) * (1 + 0x1p-50); }

// Rounds numbers below 2^52 to integers by adding and subtracting 2^52. Larger doubles are integers already. Zero gets
// no sign: the sign of a value that rounds to 0 is the sign of its error.
double round_to_step(double value, double step) noexcept {
  const double units = value / step;
  const u64 bits = std::bit_cast<u64>(units), sign = bits & u64{1} << 63, size = bits ^ sign;
  const u64 rounded = std::bit_cast<u64>((std::bit_cast<double>(size) + 0x1p52) - 0x1p52);
  const u64 below = 0 - static_cast<u64>(size < std::bit_cast<u64>(0x1p52));
  const u64 magnitude = (rounded & below) | (size & ~below);
  const u64 is_nonzero = 0 - static_cast<u64>(magnitude != 0);
  return std::bit_cast<double>(magnitude | (sign & is_nonzero)) * step;
}

bool all_within(std::span<const std::complex<double>> values, double limit) noexcept {
  bool beyond = false;
  for (const std::complex<double>& value : values) {
    const double re = value.real() / limit, im = value.imag() / limit;
    beyond |= !(re * re + im * im <= 1);
  }
  return !beyond;
}

}  // namespace ringfort::ckks
