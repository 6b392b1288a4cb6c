// SPDX-License-Identifier: Apache-2.0
// Base conversion in doubles, for instruction sets with fused multiply-add but without a 52-bit multiplier. All primes
// are below 2^50 (Tight) or 2^48 (Wide). Digits are in [0, q_i), and weights are centred: |w| <= p/2. doubles_sums.h
// accepts these ranges. It adds the products of digits and weights, and reduces a sum after 4 (Tight) or 16 (Wide)
// terms. Fractions are computed in integers, because every device must find the same k.
#pragma once

#include "backend/cpu/kernels/convert_blocks.h"
#include "backend/cpu/kernels/doubles_sums.h"
#include "backend/cpu/kernels/rounding.h"

namespace ringfort::cpu::kernels {

template <class D, bool kTight>
struct DoubleConversion {
  using Lanes = typename D::Words;
  using V = typename Lanes::V;
  using Reals = typename D::V;
  using Sums = DoubleSums<D, kTight>;
  using Sum = typename Sums::Sum;
  using E = Centred<D, kTight>;

  [[gnu::always_inline]] static Limb<u64> limb_of(u64 q) {
    Limb<u64> limb;
    limb.q = q;
    return limb;
  }

  struct SourcePrime {
    E e;
    Pair<D> inverse;
    V reciprocal;
    u32 bits;
    [[gnu::always_inline]] SourcePrime(const ConversionSource& s, u32)
        : e(limb_of(s.q)),
          inverse(doubles_of<D>(s.inverse.value, s.q)),
          reciprocal(Lanes::broadcast(s.reciprocal)),
          bits(s.bits) {}
    [[gnu::always_inline]] V digit(V a) const { return E::to_words(e.product(E::from_words(a), inverse)); }
    [[gnu::always_inline]] V fraction(V v) const { return Lanes::mulhi(v << (64 - bits), reciprocal) >> 7; }
    [[gnu::always_inline]] static V packed(V v) { return (V)E::from_words(v); }
  };
  [[gnu::always_inline]] static V packed_multiple(V k) { return (V)E::from_words(k); }

  using Weight = Reals;

  struct TargetPrime {
    typename Sums::Constants sums;
    V p;
    u64 modulus;
    [[gnu::always_inline]] TargetPrime(u64 prime, u32)
        : sums(limb_of(prime)),
          p(Lanes::broadcast(prime)),
          modulus(prime) {}
    [[gnu::always_inline]] static u32 terms() { return Sums::kTerms; }
    [[gnu::always_inline]] Weight weight(u64 w) const { return D::broadcast(centred(w, modulus)); }
    [[gnu::always_inline]] static void begin(Sum& s) { s = Sums::Constants::begin(Reals{}); }
    [[gnu::always_inline]] void restart(Sum& s) const { s = Sums::Constants::begin(sums.residue(s)); }
    [[gnu::always_inline]] static void add(Sum& s, V digit, Weight w) { Sums::Constants::add(s, w, (Reals)digit); }
    // Requires x < 2^52. Returns the residue.
    [[gnu::always_inline]] V reduced(V x) const { return E::to_words(sums.e.finish(E::from_words(x))); }
    [[gnu::always_inline]] V residue(const Sum& s) const { return E::to_words(sums.e.canonical(sums.residue(s))); }
  };
};

template <class D>
void convert_in_doubles(const ConversionWork<u64>& work) {
  if (work.most_bits <= 48) BlockConversion<DoubleConversion<D, false>, u64>::convert(work);
  else BlockConversion<DoubleConversion<D, true>, u64>::convert(work);
}

}  // namespace ringfort::cpu::kernels
