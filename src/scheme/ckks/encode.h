// SPDX-License-Identifier: Apache-2.0
// Conversion between numbers and signed integer coefficients of CKKS, on the host: round(scale * inverse embedding),
// ties to even, and back. A polynomial of degree n has s <= n/2 values in its n/2 slots, repeated with period s: then
// only every n/2s-th coefficient is not zero. Coefficients stay below 2^120, so that any chain of two words holds them.
// Residues are outside this file. The transform uses doubles while its worst error is below that of rounding the
// coefficients (scales up to about 2^50), and 128-bit integers above. The choice depends only on public values, and
// neither transform limits the precision of a ciphertext.
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
  // that is not in [1, 2^120), or values that need coefficients of 2^120 and more at this scale.
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

// Returns a bound on the difference between scale * value and the slot of the encoding, for |values| <= magnitude: the
// transform's error, and n coefficients rounded by at most 1/2, whose sum at a root is at most sum_k |cos(pi k / 2s -
// phi)| / 2 = 1 / (2 sin(pi / 4s)).
[[nodiscard]] double encode_error(u32 slots, double magnitude, double scale) noexcept;

// Returns a bound on the error of decode for |values| <= magnitude: the transform's error, three roundings (result,
// scale and quotient), and the rounding of coefficients of more than two words to 125 bits, below 2^-107.
[[nodiscard]] double decode_error(u32 slots, double magnitude, double scale) noexcept;

}  // namespace ringfort::ckks
