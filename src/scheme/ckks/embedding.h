// SPDX-License-Identifier: Apache-2.0
// The canonical embedding of CKKS [CheonKimKimSong17], which maps a polynomial to the numbers in its slots, as a fast
// Fourier transform. Let m(y) = sum_k m_k y^k have 2 s real coefficients. Its slots are m(zeta^(5^j)) for
// j = 0 .. s - 1, with zeta = exp(2 pi i / 4s). Let u_k = m_k + i m_(k + s). Then a slot is
// sum_(k < s) u_k zeta^(5^j k). This is a radix-2 transform in the order of powers of 5. It is computed in doubles or
// in 128-bit integers. The integers are several times slower, and up to 46 bits more accurate. Both forms give the same
// bits on every machine, because doubles use the roots of math/circle.h and no fused multiply-add.
#pragma once

#include <span>
#include <vector>

#include "math/types.h"

namespace ringfort::ckks {

// Real and imaginary parts in separate arrays of equal length.
template <class Number>
struct ComplexParts {
  std::span<Number> re;
  std::span<Number> im;
};

// A root in units of 2^-126: its high 64 bits, and the high 63 bits of its low 64. GCC multiplies the halves of a
// 128-bit integer as two numbers of 128 bits, but loaded halves as numbers of 64 bits.
struct FixedRoot {
  i64 high, low;
};

class Embedding {
 public:
  explicit Embedding(u32 slots);  // a power of two, 1 .. 2^16
  [[nodiscard]] u32 slots() const noexcept { return slots_; }
  // to_slots maps u, in bit-reversed order, to slots. from_slots maps slots back to u, multiplied by slots(). An
  // integer transform may increase values by a factor of slots(). Therefore its inputs must be below 2^125 / slots() in
  // absolute value.
  void to_slots(ComplexParts<double> values) const noexcept;
  void from_slots(ComplexParts<double> values) const noexcept;
  void to_slots(ComplexParts<i128> values) const noexcept;
  void from_slots(ComplexParts<i128> values) const noexcept;

 private:
  template <class Number>
  // Element h + j is exp(2 pi i 5^j / 8h), for j < h and h = 1, 2, 4 .. slots / 2.
  struct Roots {
    std::vector<Number> re, im;
  };
  u32 slots_;
  Roots<double> roots_;
  Roots<FixedRoot> fixed_roots_;
};

enum class Precision : u8 { doubles, integers };

// Returns a bound on the error of one transform, for slots of absolute value at most 1. The transform may be to_slots
// or from_slots. The bound is the error in the worst slot. An adversary may choose plaintexts, so an average, which is
// sqrt(slots) times smaller, is not enough.
//
// For doubles, let u = 2^-53. Every stage is sqrt(2) times a unitary map. By Higham's analysis, a root has the error
// 0.71 u, and a product and a sum together have the error 4 sqrt(2) u. Therefore the relative error of a stage in the
// Euclidean norm is at most 7 u. The norm of all slots is at most sqrt(slots) times the largest slot. Converting the
// coefficients and scaling add 2 u.
//
// For integers, let s = slots. A product is at most 8 units too small or 2 units too large. In the Euclidean norm, the
// error of a stage is at most 19 sqrt(s) units, and the error of all stages is at most 65 s units. A unit is at most s
// 2^-123 of the largest slot. The error of a root is at most 2^-100. Together these errors are below 2^-84.
[[nodiscard]] double embedding_error(u32 slots, Precision precision) noexcept;

}  // namespace ringfort::ckks
