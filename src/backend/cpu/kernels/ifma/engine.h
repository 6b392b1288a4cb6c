// SPDX-License-Identifier: Apache-2.0
// Engine for transforms (kernels/transform.h) with the 52-bit multiplier of AVX-512 IFMA, whose instructions add the
// lower or the upper 52 bits of a product to a lane. Let w be a constant, and w' = floor(w 2^52 / q) its companion. The
// product of b and w is b w - floor(b w' / 2^52) q. It is in [0, 2q), and is computed mod 2^52 [Shoup, Harvey14]. A
// *dirty* lane has undefined bits above bit 51. The multiplier does not read these bits, and they do not change lower
// bits in an addition.
//   Tight  q < 2^50. Values are in [0, 4q) in a forward transform, and in [0, 2q) in an inverse transform. An operand
//          of a comparison must not be dirty. All other operands may be dirty.
//   Wide   There is no range correction. A forward transform requires (4 log2(n) + 3) q < 2^52. Operand a starts
//          below 2q. 2 log2(n) q is added to it, and each stage subtracts less than 2q. Therefore no difference is
//          negative, and all values are below (4 log2(n) + 2) q. An inverse transform requires n q < 2^52. In each
//          stage, sums double, and q 2^stage is added to differences.
// With Wide, u32 words are in 64-bit lanes, because words modulo a prime of 31 bits leave only one spare bit in 32-bit
// lanes.
#pragma once

#include "backend/cpu/kernels/avx512/vector.h"
#include "backend/cpu/kernels/engines.h"

namespace ringfort::cpu::ifma {

struct Isa {};
using Lanes64 = kernels::Lanes64x8<Isa>;
using Lanes32 = kernels::Lanes32x16<Isa>;
using V = Lanes64::V;

[[gnu::always_inline]] inline V madd_low(V sum, V a, V b) {
  return (V)_mm512_madd52lo_epu64((__m512i)sum, (__m512i)a, (__m512i)b);
}
[[gnu::always_inline]] inline V madd_high(V sum, V a, V b) {
  return (V)_mm512_madd52hi_epu64((__m512i)sum, (__m512i)a, (__m512i)b);
}

// Returns x - bound if x >= bound, and x if not. Requires x < 2^62 and bound < 2^52. If these words are read as
// doubles, their order stays the same. A negative difference is then a NaN, and for a NaN the instruction returns its
// second operand. On AMD's Zen 4, the minimum of doubles runs on other ports (execution units) than the multiplier. On
// Intel's Ice Lake, it runs on two ports. The minimum of words has neither advantage.
[[gnu::always_inline]] inline V reduce(V x, V bound) { return (V)_mm512_min_pd((__m512d)(x - bound), (__m512d)x); }

inline constexpr u64 kMask52 = (u64{1} << 52) - 1;

template <class Word_, bool kWide>
struct Engine {
  using Word = Word_;
  using Cell = u64;
  using Lanes = Lanes64;
  using V = Lanes64::V;
  using Twiddle = kernels::Pair<Lanes64>;
  static constexpr unsigned kLanes = 8, kLogLanes = 3;
  kernels::Tables<Lanes64, Word> tables;
  V q, q2, minus_q, mask, offset, one_companion;
  Lanes32::V q_narrow;        // q, for u32 words
  Prefetch prefetch;          // only in forward transforms
  std::size_t prefetch_rate;  // 2^16 times the number of chunks to prefetch in a stage for a vector
  mutable const char* prefetch_next;
  mutable std::size_t prefetch_left, prefetch_row = 0, prefetch_due = 0;

  [[gnu::always_inline]] explicit Engine(const Limb<Word>& limb, const Prefetch& next = {})
      : tables(limb),
        q(Lanes64::broadcast(limb.q)),
        q2(Lanes64::broadcast(2 * limb.q)),
        minus_q(Lanes64::broadcast((u64{1} << 52) - limb.q)),
        mask(Lanes64::broadcast(kMask52)),
        offset(Lanes64::broadcast(2 * limb.log_n * limb.q)),
        one_companion(Lanes64::broadcast(limb.radix_barrett)),
        q_narrow(Lanes32::broadcast(static_cast<u32>(limb.q))),
        prefetch(next),
        prefetch_rate((next.chunks * kLanes << 16) / (std::size_t{limb.n} * limb.log_n * next.transforms)),
        prefetch_next(next.data),
        prefetch_left(next.chunks) {}

  // Prefetches into L2, because L1 has the polynomial. Makes few requests at a time. If the requests came faster than
  // memory answers them, the transform would have to wait.
  template <unsigned kStages, unsigned kVectors>
  [[gnu::always_inline]] void prefetch_share() const {
    if (prefetch_left == 0) return;
    for (prefetch_due += prefetch_rate * kStages * kVectors; prefetch_due >> 16 != 0 && prefetch_left != 0;
         prefetch_due -= 1 << 16, --prefetch_left) {
      kernels::unroll<Prefetch::kChunkBytes / 64>(
          [&]<unsigned I>() __attribute__((always_inline)) { _mm_prefetch(prefetch_next + 64 * I, _MM_HINT_T1); });
      prefetch_next += prefetch.stride;
      if (++prefetch_row != prefetch.rows) continue;
      prefetch_next += Prefetch::kChunkBytes - prefetch.rows * prefetch.stride;
      prefetch_row = 0;
    }
  }

  [[gnu::always_inline]] V load(const u64* p) const { return Lanes64::load(p); }
  [[gnu::always_inline]] void store(u64* p, V v) const { Lanes64::store(p, v); }
  [[gnu::always_inline]] V load(const u32* p) const { return Lanes64::widen(p); }
  [[gnu::always_inline]] void store(u32* p, V v) const { Lanes64::narrow(p, v); }

  [[gnu::always_inline]] V enter(V v) const { return kWide ? v + offset : v; }
  [[gnu::always_inline]] V below_2q(V v) const { return v; }
  [[gnu::always_inline]] V bound(unsigned stage) const { return kWide ? q << stage : q2; }

  [[gnu::always_inline]] V dirty_product(V b, const Twiddle& w) const {
    const V quotient = madd_high(V{}, b, w.companion);
    return madd_low(madd_low(V{}, b, w.value), quotient, minus_q);
  }
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const { return reduce(dirty_product(b, w) & mask, q); }

  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool clean) const {
    if constexpr (kWide) {
      const V twice = a + a, quotient = madd_high(V{}, b, w.companion);
      a = madd_low(madd_low(a, b, w.value), quotient, minus_q);
      b = twice - a;
    } else {
      const V first = kCanonical ? a : reduce(a, q2);
      V second = dirty_product(b, w);
      if (clean) second &= mask;
      a = first + second;
      b = first + q2 - second;
    }
  }
  // `dirty`: true if a and b are products of the previous stage.
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V bound, bool dirty) const {
    const V difference = a + bound - b;
    a = a + b;
    if constexpr (!kWide && !kCanonical) a = reduce(dirty ? a & mask : a, q2);
    b = dirty_product(difference, w);
  }
  // Reduces to [0, 2q). The result is dirty.
  [[gnu::always_inline]] V dirty_residue(V v) const { return madd_low(v, madd_high(V{}, v, one_companion), minus_q); }
  [[gnu::always_inline]] V finish(V v) const {
    if constexpr (!kWide) return reduce(reduce(v, q2), q);
    return reduce(dirty_residue(v) & mask, q);
  }

  // Returns a - v modulo q. Without its dirty bits, the result is below 2^52. a is canonical. v is an output of the
  // last stage.
  [[gnu::always_inline]] V difference(V a, V v) const {
    if constexpr (kWide) return a + (offset + offset + q2) - v;
    return a + q2 - reduce(v, q2);
  }

  // Loads a pair of vectors in arrangement 0 (transform.h): x has the even words, and y has the odd words.
  [[gnu::always_inline]] void load_pair(const u32* in, V& x, V& y) const {
    const V both = (V)_mm512_loadu_si512(in);
    x = both & Lanes64::broadcast(0xFFFFFFFF);
    y = both >> 32;
  }
  // First packs the words. q < 2^31, and therefore a value below 2q fits 32 bits. Then reduces sixteen words at a time.
  [[gnu::always_inline]] void finish_pair(u32* out, V x, V y) const {
    const __m512i packed =
        _mm512_mask_shuffle_epi32((__m512i)dirty_residue(x), 0xAAAA, (__m512i)dirty_residue(y), _MM_PERM_CCAA);
    Lanes32::store(out, Lanes32::reduce((Lanes32::V)packed, q_narrow));
  }
};

}  // namespace ringfort::cpu::ifma
