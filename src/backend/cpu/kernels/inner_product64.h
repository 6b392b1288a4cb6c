// SPDX-License-Identifier: Apache-2.0
// Sums of products of polynomials, out[r][c] (+)= sum_k a[r][k] b[k][c] (Products in limb.h), from 32 x 32 -> 64 bit
// products. The products of terms() terms are added without reduction:
//   u64, q < 2^62: Operands are split into halves of s = ceil(bits / 2) bits. Three sums have the weights 1, 2^s and
//                  2^(2s), as in convert64.h.
//   u32, q < 2^31: Products are not split. A lane has space for three products and a word. A second sum adds their
//                  upper halves.
// n is a multiple of the number of lanes times kVectors.
#pragma once

#include "backend/cpu/kernels/convert64.h"

namespace ringfort::cpu::kernels {

template <class Lanes_>
struct HalvesOfLimb {
  using Lanes = Lanes_;
  using Word = u64;
  using V = typename Lanes::V;
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

template <class Lanes_>
struct WholesOfLimb {
  using Lanes = Lanes_;
  using Word = u32;
  using V = typename Lanes::V;
  using Operand = V;
  struct Sum {
    V low, high;
  };
  V q, zero, mask, one_companion, radix;

  [[gnu::always_inline]] explicit WholesOfLimb(const Limb<u32>& limb)
      : q(Lanes::broadcast(limb.q)),
        zero(Lanes::broadcast(0)),
        mask(Lanes::broadcast(0xFFFFFFFF)),
        one_companion(Lanes::broadcast(~u64{0} / limb.q)),
        radix(Lanes::broadcast((u64{1} << 32) % limb.q)) {}
  [[gnu::always_inline]] static u32 terms() { return 3; }
  [[gnu::always_inline]] void begin(Sum& s) const { s = {zero, zero}; }
  [[gnu::always_inline]] void begin(Sum& s, const u32* p) const { s = {Lanes::widen(p), zero}; }
  [[gnu::always_inline]] void restart(Sum& s) const { s = {s.low & mask, s.high + (s.low >> 32)}; }
  [[gnu::always_inline]] static V load(const u32* p) { return Lanes::widen(p); }
  [[gnu::always_inline]] static void add(Sum& s, V a, V b) { s.low += Lanes::mul32(a, b); }
  // Reduces x to [0, 2q).
  [[gnu::always_inline]] V reduced(V x) const { return x - Lanes::mullo(Lanes::mulhi(x, one_companion), q); }
  [[gnu::always_inline]] void store(u32* p, Sum s) const {
    restart(s);
    // The argument of reduce() is below 2q < 2^32.
    Lanes::narrow(p, Lanes::reduce(reduced(Lanes::mul32(reduced(s.high), radix) + s.low), q));
  }
};

template <class E, unsigned kVectors, class W = typename E::Word>
struct InnerProducts64 {
  static constexpr unsigned kLanes = E::Lanes::kLanes;

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
