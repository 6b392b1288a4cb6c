// SPDX-License-Identifier: Apache-2.0
// The canonical embedding of CKKS [CheonKimKimSong17] as a fast Fourier transform. The s slots of m(y) = sum_k m_k y^k,
// with 2 s real coefficients, are m(zeta^(5^j)), zeta = exp(2 pi i / 4s), j in 0 .. s - 1. With u_k = m_k + i m_(k + s)
// they equal sum_(k < s) u_k zeta^(5^j k): a radix-2 transform in the order of powers of 5. It runs in doubles (roots
// of math/circle.h, no fused multiply-add), or in 128-bit integers, which are several times slower and 46 bits more
// accurate. Either gives the same bits on every machine.
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
  // to_slots maps u in bit-reversed order to slots; from_slots inverts it up to a factor of slots(). Integers grow by
  // that factor: the absolute values of the complex inputs must be below 2^125 / slots.
  void to_slots(Parts<double> values) const noexcept;
  void from_slots(Parts<double> values) const noexcept;
  void to_slots(Parts<i128> values) const noexcept;
  void from_slots(Parts<i128> values) const noexcept;

 private:
  template <class Number>
  // [h + j] = exp(2 pi i 5^j / 8h), j < h, h = 1, 2, 4 .. slots / 2
  struct Roots {
    std::vector<Number> re, im;
  };
  u32 slots_;
  Roots<double> roots_;
  Roots<i128> fixed_roots_;  // in units of 2^-126
};

enum class Precision : u8 { doubles, integers };

// Returns the largest error of either direction in a slot, for slots of absolute value at most 1. It is a worst case,
// because an adversary may choose plaintexts. Doubles: every stage is sqrt(2) times a unitary map, computed with
// relative error at most 7 u in the Euclidean norm (Higham's analysis: root 0.71 u, product and sum 4 sqrt(2) u, u =
// 2^-53); the norm of all slots is at most sqrt(slots) times the largest; conversion of coefficients and scaling add
// two u. The average is sqrt(slots) times smaller. Integers: a product errs by 5 units, a stage by 14 sqrt(slots) in
// the norm, all stages by 48 slots at the end; a unit is at most slots 2^-123 of the largest slot, the roots are within
// 2^-100: together below 2^-84.
[[nodiscard]] double embedding_error(u32 slots, Precision precision) noexcept;

}  // namespace ringfort::ckks
