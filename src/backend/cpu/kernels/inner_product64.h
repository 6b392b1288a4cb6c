// SPDX-License-Identifier: Apache-2.0
// Sums of products of polynomials, out[r][c] = (or +=) sum_k a[r][k] b[k][c] (Products in limb.h), from 32 x 32 -> 64
// bit products. The products of terms() terms are added without reduction:
//   u64, q < 2^62: Operands are split into halves of s = ceil(bits / 2) bits. Three sums have the weights 1, 2^s and
//                  2^(2s), as in convert64.h.
//   u32, q < 2^31: Products are not split. A lane has space for four products and a word: 4 (2^31 - 2)^2 + 2^32 < 2^64.
//                  After every four products, the upper half of the sum moves to a second sum.
// n is a multiple of the number of lanes times kVectors.
#pragma once

#include "backend/cpu/kernels/convert64.h"

namespace ringfort::cpu::kernels {

template <class Lanes_>
struct HalvesOfLimb {
  using Lanes = Lanes_;
  using Word = u64;
  using V = typename Lanes::V;
  static constexpr unsigned kLanes = Lanes::kLanes;
  using TargetPrime = typename Halves<Lanes>::TargetPrime;
  using Sum = typename Halves<Lanes>::Sum;
  struct Operand {
    V low, high;
  };
  TargetPrime target;

  [[gnu::always_inline]] explicit HalvesOfLimb(const Limb<u64>& limb) : target(limb.q, limb.bits) {}
  [[gnu::always_inline]] u32 terms() const { return target.terms(); }
  [[gnu::always_inline]] void begin(Sum& s) const { target.begin(s); }
  [[gnu::always_inline]] void begin(Sum& s, const u64* p) const { split(s, Lanes::load(p)); }
  [[gnu::always_inline]] void restart(Sum& s) const { split(s, target.residue(s)); }
  [[gnu::always_inline]] Operand load(const u64* p) const {
    const V v = Lanes::load(p);
    return {v & target.mask, v >> target.half};
  }
  [[gnu::always_inline]] void add(Sum& s, const Operand& a, const Operand& b) const {
    s.low += Lanes::mul32(a.low, b.low);
    s.middle += Lanes::mul32(a.low, b.high);
    s.middle += Lanes::mul32(a.high, b.low);
    s.high += Lanes::mul32(a.high, b.high);
  }
  [[gnu::always_inline]] void store(u64* p, const Sum& s) const { Lanes::store(p, target.residue(s)); }

 private:
  [[gnu::always_inline]] void split(Sum& s, V rest) const {
    s = {rest & target.mask, rest >> target.half, target.zero};
  }
};

// The even and the odd words of a vector have separate sums.
template <class Lanes32, class Lanes64>
struct WholesOfLimb {
  using Word = u32;
  using Words = typename Lanes32::V;
  using V = typename Lanes64::V;
  static constexpr unsigned kLanes = Lanes32::kLanes;
  struct Operand {
    Words even, odd;  // the word of a 64-bit lane is in its lower half
  };
  struct HalfSum {
    V low, high;
  };
  struct Sum {
    HalfSum even, odd;
  };
  V q, zero, mask, one_companion, radix;

  [[gnu::always_inline]] explicit WholesOfLimb(const Limb<u32>& limb)
      : q(Lanes64::broadcast(limb.q)),
        zero(Lanes64::broadcast(0)),
        mask(Lanes64::broadcast(0xFFFFFFFF)),
        one_companion(Lanes64::broadcast(~u64{0} / limb.q)),
        radix(Lanes64::broadcast((u64{1} << 32) % limb.q)) {}
  [[gnu::always_inline]] static u32 terms() { return 4; }
  [[gnu::always_inline]] void begin(Sum& s) const { s = {{zero, zero}, {zero, zero}}; }
  [[gnu::always_inline]] void begin(Sum& s, const u32* p) const {
    const V words = (V)Lanes32::load(p);
    s = {{words & mask, zero}, {words >> 32, zero}};
  }
  [[gnu::always_inline]] void restart(Sum& s) const { s = {restarted(s.even), restarted(s.odd)}; }
  [[gnu::always_inline]] static Operand load(const u32* p) {
    const Words words = Lanes32::load(p);
    return {words, Lanes32::odd_words(words)};
  }
  [[gnu::always_inline]] static void add(Sum& s, const Operand& a, const Operand& b) {
    s.even.low += (V)Lanes32::mul32(a.even, b.even);
    s.odd.low += (V)Lanes32::mul32(a.odd, b.odd);
  }
  [[gnu::always_inline]] void store(u32* p, const Sum& s) const {
    const V words = residue(s.even) | residue(s.odd) << 32;
    Lanes32::store(p, Lanes32::reduce((Words)words, Lanes32::broadcast(static_cast<u32>(q[0]))));
  }

 private:
  [[gnu::always_inline]] HalfSum restarted(const HalfSum& s) const { return {s.low & mask, s.high + (s.low >> 32)}; }
  // Reduces x to [0, 2q).
  [[gnu::always_inline]] V reduced(V x) const { return x - Lanes64::mullo(Lanes64::mulhi(x, one_companion), q); }
  [[gnu::always_inline]] V residue(HalfSum s) const {  // below 2q < 2^32
    s = restarted(s);
    return reduced(Lanes64::mul32(reduced(s.high), radix) + s.low);
  }
};

template <class E, unsigned kVectors, class W = typename E::Word>
struct InnerProducts64 {
  static constexpr unsigned kLanes = E::kLanes;

  template <unsigned kColumns>
  [[gnu::always_inline]] static void tile(const E& e, const Products<W>& p, u32 row, u32 column, std::size_t j) {
    typename E::Sum sums[kColumns][kVectors];
    W* const out = p.out + row * p.out_row + column * p.out_column + j;
    const W* const a = p.a + row * p.a_row + j;
    const W* const b = p.b + column * p.b_column + j;
    unroll<kColumns * kVectors>([&]<unsigned N>() __attribute__((always_inline)) {
      constexpr unsigned C = N / kVectors, I = N % kVectors;
      if (p.accumulate) e.begin(sums[C][I], out + C * p.out_column + I * kLanes);
      else e.begin(sums[C][I]);
    });
    for (u32 first = 0; first < p.inner; first += e.terms()) {
      if (first != 0)
        unroll<kColumns * kVectors>(
            [&]<unsigned N>() __attribute__((always_inline)) { e.restart(sums[N / kVectors][N % kVectors]); });
      const u32 end = p.inner - first < e.terms() ? p.inner : first + e.terms();
      for (u32 k = first; k < end; ++k) {
        unroll<kVectors>([&]<unsigned I>() __attribute__((always_inline)) {
          const auto left = e.load(a + k * p.a_inner + I * kLanes);
          unroll<kColumns>([&]<unsigned C>() __attribute__((always_inline)) {
            e.add(sums[C][I], left,
                  e.load(b + static_cast<std::ptrdiff_t>(k * p.b_inner + C * p.b_column + I * kLanes)));
          });
        });
      }
    }
    unroll<kColumns * kVectors>([&]<unsigned N>() __attribute__((always_inline)) {
      constexpr unsigned C = N / kVectors, I = N % kVectors;
      e.store(out + C * p.out_column + I * kLanes, sums[C][I]);
    });
  }

  static void accumulate(const Limb<W>& limb, const Products<W>& p, std::size_t n) {
    const E e(limb);
    for (u32 row = 0; row < p.rows; ++row) {
      for (u32 column = 0; column < p.columns; column += 2) {
        const bool two = column + 1 < p.columns;
        for (std::size_t j = 0; j < n; j += kVectors * kLanes) {
          if (two) tile<2>(e, p, row, column, j);
          else tile<1>(e, p, row, column, j);
        }
      }
    }
  }
};

}  // namespace ringfort::cpu::kernels
