// SPDX-License-Identifier: Apache-2.0
// SlotEncoder converts numbers to signed integer coefficients of CKKS, and back, on the host. Encoding computes
// round(scale * inverse embedding of the numbers), ties to even. There may be s < n/2 slots. The polynomial with n
// coefficients then repeats the values with period s, and only its coefficients at multiples of n / (2 s) are not zero.
// Coefficients are at most 2^119. Therefore they fit into 128-bit integers.
//
// The transform uses doubles if their worst error, for values up to 1, is at most the error of rounding the
// coefficients. This is so for scales up to a limit between 2^49 and 2^54, which depends on s. For larger scales, the
// transform uses 128-bit integers. The choice depends only on public values.
#pragma once

#include <complex>
#include <span>

#include "scheme/ckks/embedding.h"

namespace ringfort::ckks {

// Immutable and shareable between threads.
class SlotEncoder {
 public:
  // n: a power of two, 8 .. 2^17. slots: a power of two, 1 .. n/2.
  SlotEncoder(u32 n, u32 slots);
  [[nodiscard]] u32 n() const noexcept { return n_; }
  [[nodiscard]] u32 slots() const noexcept { return embedding_.slots(); }

  // Encodes at most slots() values. Missing values are zeros. `out` has n coefficients. Returns an upper bound on the
  // absolute values of all slots: the largest absolute value of a component, multiplied by sqrt(2) if the values are
  // complex. Throws invalid_argument for NaN, infinity, too many values, a scale outside [1, 2^120), and a slot of
  // 2^119 or more at this scale. If it throws, `out` is unchanged.
  double encode(std::span<const double> values, double scale, std::span<i128> out) const;
  double encode(std::span<const std::complex<double>> values, double scale, std::span<i128> out) const;

  // Makes the checks of encode(), and returns what it returns.
  double check(std::span<const double> values, double scale) const;
  double check(std::span<const std::complex<double>> values, double scale) const;

  // Decodes the first out.size() values, at most slots(). `coefficients` has n centred coefficients below 2^126, in
  // units of 2^shift. If `out` is real, the imaginary parts are dropped. Errors: invalid_argument, also for a scale
  // that is not finite and positive.
  void decode(std::span<const i128> coefficients, double scale, std::span<double> out, u32 shift = 0) const;
  void decode(std::span<const i128> coefficients, double scale, std::span<std::complex<double>> out,
              u32 shift = 0) const;

 private:
  template <class Value>
  double check_values(std::span<const Value> values, double scale) const;
  template <class Value>
  double encode_values(std::span<const Value> values, double scale, std::span<i128> out) const;
  template <class Value>
  void decode_values(std::span<const i128> coefficients, double scale, std::span<Value> out, u32 shift) const;
  u32 n_;
  Embedding embedding_;
};

[[nodiscard]] Precision precision_for(u32 slots, double scale) noexcept;

// Returns a bound on the difference between scale * value and the slot of the encoding, for |values| <= magnitude. The
// bound is the sum of two errors. One is the error of the transform. The other comes from rounding 2 s coefficients,
// each by at most 1/2. In a slot, this second error is at most sum_k |cos(pi k / 2s - phi)| / 2 = 1 / (2 sin(pi / 4s)).
[[nodiscard]] double encode_error(u32 slots, double magnitude, double scale) noexcept;

// Returns a bound on the error of decode(), for |values| <= magnitude. It contains the error of the transform, and
// three roundings: of the result, of the scale and of their quotient. The bound of an integer transform also covers the
// truncation of long coefficients to 124 - log2(slots()) bits.
[[nodiscard]] double decode_error(u32 slots, double magnitude, double scale) noexcept;

}  // namespace ringfort::ckks
