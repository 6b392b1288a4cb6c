// SPDX-License-Identifier: Apache-2.0
// Rounding of decoded decryptions. Values are rounded to the step that their bound justifies, because the error of the
// ciphertext reveals the secret key [LiMicciancio21]. Steps are powers of two: rounding is exact in doubles. No branch
// depends on a value, except that the result of all_within becomes public.
#pragma once

#include <complex>
#include <span>

namespace ringfort::ckks {

// Returns the power of two in (error / sqrt 2, sqrt 2 error]. Rounding both parts adds at most half the diagonal of a
// step, which is at most `error`.
[[nodiscard]] double step_for(double error) noexcept;
// Returns the largest error that rounding to the step adds to a complex number, in absolute value.
[[nodiscard]] double step_error(double step) noexcept;

// Returns the nearest multiple of `step` (a power of two), ties to even.
[[nodiscard]] double round_to_step(double value, double step) noexcept;

// Tells whether all absolute values are at most `limit`.
[[nodiscard]] bool all_within(std::span<const std::complex<double>> values, double limit) noexcept;

}  // namespace ringfort::ckks
