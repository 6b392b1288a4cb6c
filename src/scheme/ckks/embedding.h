// SPDX-License-Identifier: Apache-2.0
// The canonical embedding of CKKS [CheonKimKimSong17] as a fast Fourier transform in doubles: the s slots of
// m(y) = sum_k m_k y^k, 2 s real coefficients, are m(zeta^(5^j)), zeta = exp(2 pi i / 4s), j in 0 .. s - 1.
// With u_k = m_k + i m_(k + s) they are sum_(k < s) u_k zeta^(5^j k): radix 2, powers of 5 in place of the usual order.
// One code path, no fused multiply-add, own roots (math/circle.h): the same bits on every machine and instruction set.
#pragma once

#include <span>
#include <vector>

#include "math/types.h"

namespace ringfort::ckks {

// Real and imaginary parts apart: both of one length.
struct Parts {
  std::span<double> re;
  std::span<double> im;
};

class Embedding {
 public:
  explicit Embedding(u32 slots);                         // a power of two, 1 .. 2^17
  [[nodiscard]] u32 slots() const noexcept { return slots_; }
  // u in bit-reversed order -> slots; and back, times the number of slots.
  void to_slots(Parts values) const noexcept;
  void from_slots(Parts values) const noexcept;

 private:
  u32 slots_;
  std::vector<double> re_, im_;                          // [h + j] = exp(2 pi i 5^j / 8h), j < h, h = 1, 2, 4 .. slots / 2
};

// What either direction may add to a slot, for slots of absolute value at most 1, rounding of the coefficients to doubles and
// the scaling included. Every stage is sqrt(2) times a unitary map, computed with relative error at most 7 u in the Euclidean
// norm (Higham's analysis: root 0.71 u, product and sum 4 sqrt(2) u; u = 2^-53); the norm of all slots is at most sqrt(slots)
// times their largest. A worst case: an average error is 2^(log2(slots) / 2) times smaller.
[[nodiscard]] double embedding_error(u32 slots) noexcept;

}  // namespace ringfort::ckks
