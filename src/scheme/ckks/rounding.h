// SPDX-License-Identifier: Apache-2.0
// What decoding a decryption shows: numbers rounded to the step that their bound justifies, so that the error of the
// ciphertext, which tells of the secret key [LiMicciancio21], is not among them. Steps are powers of two: rounding is
// exact in doubles. No branch depends on a value; one answer (all are within the limit, or not) does leave.
#pragma once

#include <complex>
#include <span>

namespace ringfort::ckks {

// The power of two in (error / sqrt 2, sqrt 2 error]: rounding both parts adds at most half a diagonal of it, `error`
// once more.
[[nodiscard]] double step_for(double error) noexcept;
// What rounding to the step may add to the absolute value of a complex number.
[[nodiscard]] double step_error(double step) noexcept;

// The multiple of `step` (a power of two) that is nearest, ties to even.
[[nodiscard]] double round_to_step(double value, double step) noexcept;

// Whether all absolute values are at most `limit`.
[[nodiscard]] bool all_within(std::span<const std::complex<double>> values, double limit) noexcept;

}  // namespace ringfort::ckks
