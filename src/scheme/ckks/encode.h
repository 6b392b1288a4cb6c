// SPDX-License-Identifier: Apache-2.0
// Converts numbers to signed integer coefficients of CKKS, and back, on the host. Encoding computes round(scale *
// inverse embedding), ties to even. If there are s < n/2 slots, a polynomial of degree n repeats its values with period
// s, and only every n/2s-th coefficient is not zero. Coefficients are at most 2^119, so that they fit 128-bit integers.
//
// The transform uses doubles if its worst error is below that of rounding the coefficients (scales up to about 2^50),
// and 128-bit integers for larger scales. Therefore the transform never limits the precision of a ciphertext. The
// choice depends only on public values.
#pragma once

#include <complex>
#include <span>

#include "scheme/ckks/embedding.h"

namespace ringfort::ckks {

// Immutable and shareable between threads.
class SlotEncoder {
 public:
  // n a power of two, 8 .. 2^17; slots a power of two, 1 .. n/2
  SlotEncoder(u32 n, u32 slots);
  [[nodiscard]] u32 n() const noexcept { return n_; }
  [[nodiscard]] u32 slots() const noexcept { return embedding_.slots(); }

  // Encodes at most slots() values, followed by zeros; out has n coefficients. Returns the largest absolute value of a
  // slot (rounded up). Errors (before out is touched): invalid_argument for NaN, infinity, too many values, a scale
  // that is not in [1, 2^120), or a slot of 2^119 or more at this scale.
  double encode(std::span<const double> values, double scale, std::span<i128> out) const;
  double encode(std::span<const std::complex<double>> values, double scale, std::span<i128> out) const;

  // Decodes the first out.size() <= slots() values of n centred coefficients below 2^126, in units of 2^shift. A real
  // result drops the imaginary parts. Errors: invalid_argument, also for a scale that is not finite and above zero.
  void decode(std::span<const i128> coefficients, double scale, std::span<double> out, u32 shift = 0) const;
  void decode(std::span<const i128> coefficients, double scale, std::span<std::complex<double>> out,
              u32 shift = 0) const;

 private:
  template <class Value>
  double encode_values(std::span<const Value> values, double scale, std::span<i128> out) const;
  template <class Value>
  void decode_values(std::span<const i128> coefficients, double scale, std::span<Value> out, u32 shift) const;
  u32 n_;
  Embedding embedding_;
};

[[nodiscard]] Precision precision_for(u32 slots, double scale) noexcept;

// Returns a bound on the difference between scale * value and the slot of the encoding, for |values| <= magnitude. The
// bound is the sum of two errors: that of the transform, and that of rounding n coefficients by at most 1/2. In a slot
// the second error is at most sum_k |cos(pi k / 2s - phi)| / 2 = 1 / (2 sin(pi / 4s)).
[[nodiscard]] double encode_error(u32 slots, double magnitude, double scale) noexcept;

// Returns a bound on the error of decode for |values| <= magnitude: the transform's error, three roundings (result,
// scale, quotient), and 2^-107 for the rounding of long coefficients to 125 bits.
[[nodiscard]] double decode_error(u32 slots, double magnitude, double scale) noexcept;

}  // namespace ringfort::ckks
