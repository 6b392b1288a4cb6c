// SPDX-License-Identifier: Apache-2.0
// The canonical embedding of CKKS [CheonKimKimSong17] as a fast Fourier transform. Let m(y) = sum_k m_k y^k have 2 s
// real coefficients. Its slots are m(zeta^(5^j)), with zeta = exp(2 pi i / 4s) and j = 0 .. s - 1. With u_k = m_k + i
// m_(k + s), a slot is sum_(k < s) u_k zeta^(5^j k). This is a radix-2 transform in the order of powers of 5. It runs
// in doubles, or in 128-bit integers, which are several times slower and 46 bits more accurate. Either gives the same
// bits on every machine: doubles use the roots of math/circle.h and no fused multiply-add.
#pragma once

#include <span>
#include <vector>

#include "math/types.h"

namespace ringfort::ckks {

// Real and imaginary parts in separate arrays of equal length.
template <class Number>
struct Parts {
  std::span<Number> re;
  std::span<Number> im;
};

class Embedding {
 public:
  explicit Embedding(u32 slots);  // a power of two, 1 .. 2^16
  [[nodiscard]] u32 slots() const noexcept { return slots_; }
  // to_slots maps u, in bit-reversed order, to slots. from_slots maps slots back, to u multiplied by slots(). Values of
  // integer transforms may grow by a factor of slots(). Therefore absolute values of inputs must be below 2^125 /
  // slots().
  void to_slots(Parts<double> values) const noexcept;
  void from_slots(Parts<double> values) const noexcept;
  void to_slots(Parts<i128> values) const noexcept;
  void from_slots(Parts<i128> values) const noexcept;

 private:
  template <class Number>
  // Element h + j is exp(2 pi i 5^j / 8h), for j < h and h = 1, 2, 4 .. slots / 2.
  struct Roots {
    std::vector<Number> re, im;
  };
  u32 slots_;
  Roots<double> roots_;
  Roots<i128> fixed_roots_;  // in units of 2^-126
};

enum class Precision : u8 { doubles, integers };

// Returns the largest error of either direction in a slot, for slots of absolute value at most 1. It is a worst case,
// because an adversary may choose plaintexts; the average is sqrt(slots) times smaller.
//
// Doubles, with u = 2^-53: every stage is sqrt(2) times a unitary map, with relative error at most 7 u in the Euclidean
// norm (Higham's analysis: root 0.71 u, product and sum 4 sqrt(2) u). The norm of all slots is at most sqrt(slots)
// times the largest slot. Conversion of coefficients and scaling add 2 u.
//
// Integers: the error of a product is at most 5 units, of a stage 14 sqrt(s) units in the norm, and of all stages 48 s
// units, where s = slots. A unit is at most s 2^-123 of the largest slot, and the error of a root is at most 2^-100.
// The sum of these errors is below 2^-84.
[[nodiscard]] double embedding_error(u32 slots, Precision precision) noexcept;

}  // namespace ringfort::ckks
