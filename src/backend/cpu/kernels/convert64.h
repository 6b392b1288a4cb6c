// SPDX-License-Identifier: Apache-2.0
// Base conversion with 32 x 32 -> 64 bit products. All primes have at most most_bits <= 62 bits. The digits are the v_i
// and k of convert_blocks.h. With s = ceil(most_bits / 2), a packed digit has its lower s bits in the lower half of a
// lane, and its other bits in the upper half. There are three sums. Sum `low` has the weight 1, `middle` has 2^s, and
// `high` has 2^(2s). The sums of t <= 2^(63 - 2s) terms do not overflow. The largest of them is `middle` with the carry
// of `low`:
//   2 t (2^s - 1)^2 + 2^s + 2^(64 - s) < 2^64.
// residue() writes the total as x + y 2^(2s). x is below 2^62, and is reduced by Barrett's quotient, which takes the
// upper half of one product. y may be any word, and is multiplied by the constant 2^(2s) mod p with its companion
// (Factor in limb.h).
#pragma once

#include "backend/cpu/kernels/convert_blocks.h"

namespace ringfort::cpu::kernels {

[[gnu::always_inline]] static inline u32 half_bits(u32 most_bits) { return (most_bits + 1) / 2; }

template <class Lanes_>
struct Halves {
  using Lanes = Lanes_;
  using V = typename Lanes::V;

  struct SourcePrime {
    V q, inverse, companion, reciprocal, mask;
    u32 bits, half;
    [[gnu::always_inline]] SourcePrime(const ConversionSource& s, u32 most_bits)
        : q(Lanes::broadcast(s.q)),
          inverse(Lanes::broadcast(s.inverse.value)),
          companion(Lanes::broadcast(s.inverse.companion)),
          reciprocal(Lanes::broadcast(s.reciprocal)),
          mask(Lanes::broadcast((u64{1} << half_bits(most_bits)) - 1)),
          bits(s.bits),
          half(half_bits(most_bits)) {}
    [[gnu::always_inline]] V digit(V a) const {
      return Lanes::reduce(Lanes::mullo(a, inverse) - Lanes::mullo(Lanes::mulhi(a, companion), q), q);
    }
    [[gnu::always_inline]] V fraction(V v) const { return Lanes::mulhi(v << (64 - bits), reciprocal) >> 7; }
    [[gnu::always_inline]] V packed(V v) const { return (v >> half) << 32 | (v & mask); }
  };

  [[gnu::always_inline]] static V packed_multiple(V k) { return k; }

  struct Weight {
    V low, high;
  };

  struct Sum {
    V low, middle, high;
  };

  struct TargetPrime {
    V p, p2, mask, zero, one_companion, top, top_companion;
    u32 half;
    [[gnu::always_inline]] TargetPrime(u64 modulus, u32 most_bits)
        : p(Lanes::broadcast(modulus)),
          p2(Lanes::broadcast(2 * modulus)),
          mask(Lanes::broadcast((u64{1} << half_bits(most_bits)) - 1)),
          zero(Lanes::broadcast(0)),
          one_companion(Lanes::broadcast(~u64{0} / modulus)),
          half(half_bits(most_bits)) {
      const u64 radix = (u64{1} << 2 * half) % modulus;
      top = Lanes::broadcast(radix);
      top_companion = Lanes::broadcast(static_cast<u64>((u128{radix} << 64) / modulus));
    }
    [[gnu::always_inline]] u32 terms() const { return half < 24 ? 1u << 16 : 1u << (63 - 2 * half); }
    [[gnu::always_inline]] Weight weight(u64 w) const {
      return {Lanes::broadcast(w & ((u64{1} << half) - 1)), Lanes::broadcast(w >> half)};
    }
    [[gnu::always_inline]] void begin(Sum& s) const { s = {zero, zero, zero}; }
    [[gnu::always_inline]] void restart(Sum& s) const {
      const V rest = residue(s);
      s = {rest & mask, rest >> half, zero};
    }
    [[gnu::always_inline]] void add(Sum& s, V digit, const Weight& w) const {
      const V upper = digit >> 32;
      s.low += Lanes::mul32(digit, w.low);
      s.middle += Lanes::mul32(digit, w.high);
      s.middle += Lanes::mul32(upper, w.low);
      s.high += Lanes::mul32(upper, w.high);
    }
    // Reduces x to [0, 2p).
    [[gnu::always_inline]] V reduced(V x) const { return x - Lanes::mullo(Lanes::mulhi(x, one_companion), p); }
    [[gnu::always_inline]] V residue(const Sum& s) const {
      const V middle = s.middle + (s.low >> half), high = s.high + (middle >> half);
      const V low = (s.low & mask) | (middle & mask) << half;
      const V upper = Lanes::mullo(high, top) - Lanes::mullo(Lanes::mulhi(high, top_companion), p);
      return Lanes::reduce(Lanes::reduce(upper + reduced(low), p2), p);
    }
  };
};

}  // namespace ringfort::cpu::kernels
