// SPDX-License-Identifier: Apache-2.0
// The canonical embedding of CKKS [CheonKimKimSong17] as a fast Fourier transform: the s slots of m(y) = sum_k m_k y^k, 2 s real
// coefficients, are m(zeta^(5^j)), zeta = exp(2 pi i / 4s), j in 0 .. s - 1. With u_k = m_k + i m_(k + s) they are
// sum_(k < s) u_k zeta^(5^j k): radix 2, powers of 5 in place of the usual order. In doubles (own roots, math/circle.h; no fused
// multiply-add) or in 128-bit integers, four times slower and 13 bits closer: the same bits on every machine either way.
#pragma once

#include <span>
#include <vector>

#include "math/types.h"

namespace ringfort::ckks {

// Real and imaginary parts apart: both of one length.
template <class Number>
struct Parts {
  std::span<Number> re;
  std::span<Number> im;
};

class Embedding {
 public:
  explicit Embedding(u32 slots);                         // a power of two, 1 .. 2^16
  [[nodiscard]] u32 slots() const noexcept { return slots_; }
  // u in bit-reversed order -> slots; and back, times the number of slots. Integers grow by it: they are below
  // 2^125 / slots before, in absolute value of the complex numbers.
  void to_slots(Parts<double> values) const noexcept;
  void from_slots(Parts<double> values) const noexcept;
  void to_slots(Parts<i128> values) const noexcept;
  void from_slots(Parts<i128> values) const noexcept;

 private:
  template <class Number>
  struct Roots {                                         // [h + j] = exp(2 pi i 5^j / 8h), j < h, h = 1, 2, 4 .. slots / 2
    std::vector<Number> re, im;
  };
  u32 slots_;
  Roots<double> roots_;
  Roots<i64> fixed_roots_;                               // in units of 2^-62
};

enum class Precision : u8 { doubles, integers };

// What either direction may add to a slot, for slots of absolute value at most 1. Every stage is sqrt(2) times a unitary map; its
// error in the Euclidean norm, relative, is at most 7 u in doubles (Higham's analysis: root 0.71 u, product and sum 4 sqrt(2) u,
// u = 2^-53) and 0.71 * 2^-62 for the root in integers, whose roundings are 2^-60 of that at most. The norm of all slots is at most
// sqrt(slots) times their largest. Two more u for doubles: the conversion of coefficients and the scaling. A worst case: an
// average error is sqrt(slots) times smaller.
[[nodiscard]] double embedding_error(u32 slots, Precision precision) noexcept;

}  // namespace ringfort::ckks
