// SPDX-License-Identifier: Apache-2.0
// Base conversion with the 52-bit multiplier. All primes are below 2^50. Two sums, low and high, add the lower and the
// upper halves of products. 15 terms need no reduction: low < 2^56, and high with the carry of low is below
// 15 2^48 + 2^4 < 2^52.
#include "backend/cpu/kernels/avx512/permutation.h"
#include "backend/cpu/kernels/convert_blocks.h"
#include "backend/cpu/kernels/ifma/engine.h"
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/rounding.h"
#include "backend/cpu/kernels/automorphism.h"

namespace ringfort::cpu::ifma {
namespace {

struct Arithmetic {
  using V = ifma::V;
  using Lanes = Lanes64;

  struct SourcePrime {
    V q, minus_q, mask, zero, inverse, companion, upper, lower;
    unsigned up;
    [[gnu::always_inline]] SourcePrime(const ConversionSource& s, u32)
        : q(Lanes::broadcast(s.q)),
          minus_q(Lanes::broadcast((u64{1} << 52) - s.q)),
          mask(Lanes::broadcast(kMask52)),
          zero(Lanes::broadcast(0)),
          inverse(Lanes::broadcast(s.inverse.value)),
          companion(Lanes::broadcast(s.inverse.companion >> 12)),  // from 64 bits to the 52 of this multiplier
          upper(Lanes::broadcast(s.reciprocal >> 52)),
          lower(Lanes::broadcast(s.reciprocal & kMask52)),
          up(50 - s.bits) {}
    [[gnu::always_inline]] V digit(V a) const {
      const V quotient = madd_high(zero, a, companion);
      return reduce(madd_low(madd_low(zero, a, inverse), quotient, minus_q) & mask, q);
    }
    // Returns floor(v 2^(50 - bits) reciprocal / 2^57). The reciprocal is given in two parts.
    [[gnu::always_inline]] V fraction(V v) const {
      const V u = v << up;
      const V sum = madd_low(madd_high(zero, u, lower), u, upper);  // below 2^53
      return (sum + (madd_high(zero, u, upper) << 52)) >> 5;
    }
    [[gnu::always_inline]] static V packed(V v) { return v; }
  };

  [[gnu::always_inline]] static V packed_multiple(V k) { return k; }

  using Weight = V;

  struct Sum {
    V low, high;
  };

  struct TargetPrime {
    V p, p2, minus_p, mask, zero, one_companion, radix, radix_companion;
    [[gnu::always_inline]] TargetPrime(u64 modulus, u32)
        : p(Lanes::broadcast(modulus)),
          p2(Lanes::broadcast(2 * modulus)),
          minus_p(Lanes::broadcast((u64{1} << 52) - modulus)),
          mask(Lanes::broadcast(kMask52)),
          zero(Lanes::broadcast(0)),
          one_companion(Lanes::broadcast((u64{1} << 52) / modulus)) {
      const u64 rest = (u64{1} << 52) % modulus;
      radix = Lanes::broadcast(rest);
      radix_companion = Lanes::broadcast(static_cast<u64>((u128{rest} << 52) / modulus));
    }
    [[gnu::always_inline]] static u32 terms() { return 15; }
    [[gnu::always_inline]] static Weight weight(u64 w) { return Lanes::broadcast(w); }
    [[gnu::always_inline]] void begin(Sum& s) const { s = {zero, zero}; }
    [[gnu::always_inline]] void restart(Sum& s) const { s = {residue(s), zero}; }
    [[gnu::always_inline]] void add(Sum& s, V digit, Weight w) const {
      s.low = madd_low(s.low, digit, w);
      s.high = madd_high(s.high, digit, w);
    }
    [[gnu::always_inline]] V reduced(V x) const {  // requires x < 2^52; returns a value in [0, 2p)
      return madd_low(x, madd_high(zero, x, one_companion), minus_p) & mask;
    }
    [[gnu::always_inline]] V residue(const Sum& s) const {
      const V high = s.high + (s.low >> 52);
      const V upper = madd_low(madd_low(zero, high, radix), madd_high(zero, high, radix_companion), minus_p) & mask;
      return reduce(reduce(upper + reduced(s.low & mask), p2), p);
    }
  };
};

template <class W>
constexpr PlanKernels<W> plan_kernels() {
  PlanKernels<W> k;
  k.convert = &kernels::InDefaultMode<&kernels::BlockConversion<Arithmetic, W>::convert>::call;
  if constexpr (sizeof(W) == 8) k.lift = &kernels::lift<Lanes64>;
  k.lift_bytes = &kernels::lift_bytes<Isa, W>;
  k.automorphism = &kernels::automorphism_vectors<kernels::Permutation512<Isa, W>, W>;
  return k;
}

}  // namespace

constinit const PlanKernels<u32> kPlanKernels32 = plan_kernels<u32>();
constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels<u64>();

}  // namespace ringfort::cpu::ifma
