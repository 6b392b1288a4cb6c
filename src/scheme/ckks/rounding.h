// SPDX-License-Identifier: Apache-2.0
// Rounding of decrypted values after decoding. The error of a ciphertext can reveal the secret key [LiMicciancio21].
// Therefore values are rounded to multiples of a step near the error bound. A step is a power of two, so that rounding
// is exact in doubles. No branch depends on a value. The result of all_within is public.
#pragma once

#include <complex>
#include <span>

namespace ringfort::ckks {

// Returns the power of two in (error / sqrt 2, sqrt 2 error]. If this step is used to round the real and the imaginary
// part, a number changes by at most step / sqrt 2, which is at most `error`.
[[nodiscard]] double step_for(double error) noexcept;
// Returns the largest change of a complex number, in absolute value, by rounding to multiples of `step`.
[[nodiscard]] double step_error(double step) noexcept;

// Returns the nearest multiple of `step` (a power of two), ties to even. Never returns -0.0.
[[nodiscard]] double round_to_step(double value, double step) noexcept;

// Tells whether all absolute values are at most `limit`.
[[nodiscard]] bool all_within(std::span<const std::complex<double>> values, double limit) noexcept;

}  // namespace ringfort::ckks
