// SPDX-License-Identifier: Apache-2.0
// The tables of a limb, read as vectors, and the two engines of transforms (kernels/transform.h) without a 52-bit
// multiplier. The parameter `Lanes` wraps the vectors of an instruction set: their type V, kLanes, and load, store,
// broadcast, repeat, mulhi, mullo and reduce. reduce(x, bound) is x - bound if x >= bound, else x.
//   Lazy64   u64, q < 2^62: forward values in [0, 4q), products in [0, 2q); inverse values in [0, 2q).      [Harvey14]
//   Strict32 u32, q < 2^31: canonical after every butterfly, since 4q does not fit the lane.
#pragma once

#include <type_traits>

#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

template <class Lanes>
struct Pair {  // a multiplicand and its companion, see Factor
  typename Lanes::V value, companion;
};

// Converts a constant factor in [0, q) to a centred factor in doubles.
static inline constexpr double centred(u64 value, u64 q) {
  return value > q / 2 ? -static_cast<double>(q - value) : static_cast<double>(value);
}
template <class D>
[[gnu::always_inline]] inline Pair<D> doubles_of(u64 value, u64 q) {
  const double v = centred(value, q);
  return {D::broadcast(v), D::broadcast(v / static_cast<double>(q))};
}

template <class Lanes, class Word>
struct Tables {
  using Cell = typename Lanes::Word;
  using Twiddle = Pair<Lanes>;
  std::size_t n;
  unsigned log_n;
  const Cell *powers, *companions, *inverse_powers, *inverse_companions;
  Factor<u64> factors[4];  // scale, half_scale, last, half_last
  u64 q;

  [[gnu::always_inline]] explicit Tables(const Limb<Word>& limb)
      : n(limb.n),
        log_n(limb.log_n),
        powers(static_cast<const Cell*>(limb.powers)),
        companions(static_cast<const Cell*>(limb.companions)),
        inverse_powers(static_cast<const Cell*>(limb.inverse_powers)),
        inverse_companions(static_cast<const Cell*>(limb.inverse_companions)),
        factors{limb.scale, limb.half_scale, limb.last, limb.half_last},
        q(limb.q) {}

  template <bool kInverse>
  [[gnu::always_inline]] Twiddle single(std::size_t i) const {
    if constexpr (kInverse) return {Lanes::broadcast(inverse_powers[i]), Lanes::broadcast(inverse_companions[i])};
    else return {Lanes::broadcast(powers[i]), Lanes::broadcast(companions[i])};
  }
  template <bool kInverse, unsigned kCount>  // kCount entries from i on, repeated until all lanes are filled
  [[gnu::always_inline]] Twiddle several(std::size_t i) const {
    if constexpr (kInverse)
      return {Lanes::template repeat<kCount>(inverse_powers + i),
              Lanes::template repeat<kCount>(inverse_companions + i)};
    else return {Lanes::template repeat<kCount>(powers + i), Lanes::template repeat<kCount>(companions + i)};
  }
  [[gnu::always_inline]] Twiddle constant(const Factor<u64>& f) const {
    if constexpr (std::is_same_v<Cell, double>) return doubles_of<Lanes>(f.value, q);
    else return {Lanes::broadcast(static_cast<Cell>(f.value)), Lanes::broadcast(static_cast<Cell>(f.companion))};
  }
  template <bool kTruncated>
  [[gnu::always_inline]] Twiddle scale() const {
    return constant(factors[kTruncated ? 1 : 0]);
  }
  template <bool kTruncated>
  [[gnu::always_inline]] Twiddle last() const {
    return constant(factors[kTruncated ? 3 : 2]);
  }
};

template <unsigned kArrangement, class E>
[[gnu::always_inline]] inline void load_rearranged(const E& e, const typename E::Word* in, typename E::V& x,
                                                   typename E::V& y) {
  x = e.load(in);
  y = e.load(in + E::kLanes);
  rearrange<E::kLogLanes, kArrangement, E>(x, y);
}

template <unsigned kArrangement, class E>
[[gnu::always_inline]] inline void finish_rearranged(const E& e, typename E::Word* out, typename E::V x,
                                                     typename E::V y) {
  x = e.finish(x);
  y = e.finish(y);
  rearrange<kArrangement, E::kLogLanes, E>(x, y);
  e.store(out, x);
  e.store(out + E::kLanes, y);
}

template <class Lanes_>
struct Lazy64 {
  using Lanes = Lanes_;
  using Word = u64;
  using Cell = u64;
  using V = typename Lanes::V;
  using Twiddle = Pair<Lanes>;
  static constexpr unsigned kLanes = Lanes::kLanes, kLogLanes = Lanes::kLogLanes;
  Tables<Lanes, Word> tables;
  V q, q2;

  [[gnu::always_inline]] explicit Lazy64(const Limb<Word>& limb)
      : tables(limb),
        q(Lanes::broadcast(limb.q)),
        q2(Lanes::broadcast(2 * limb.q)) {}
  [[gnu::always_inline]] V load(const Word* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(Word* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V enter(V v) const { return v; }
  [[gnu::always_inline]] V below_2q(V v) const { return v; }
  [[gnu::always_inline]] V bound(unsigned) const { return q2; }
  [[gnu::always_inline]] V lazy_product(V b, const Twiddle& w) const {  // any b; returns [0, 2q)
    return Lanes::mullo(b, w.value) - Lanes::mullo(Lanes::mulhi(b, w.companion), q);
  }
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const { return Lanes::reduce(lazy_product(b, w), q); }
  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = kCanonical ? a : Lanes::reduce(a, q2), second = lazy_product(b, w);
    a = first + second;
    b = first + q2 - second;
  }
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a + q2 - b;
    a = kCanonical ? a + b : Lanes::reduce(a + b, q2);
    b = lazy_product(difference, w);
  }
  [[gnu::always_inline]] V finish(V v) const { return Lanes::reduce(Lanes::reduce(v, q2), q); }
  template <unsigned kArrangement>
  [[gnu::always_inline]] void load_pair(const Word* in, V& x, V& y) const {
    load_rearranged<kArrangement>(*this, in, x, y);
  }
  template <unsigned kArrangement>
  [[gnu::always_inline]] void finish_pair(Word* out, V x, V y) const {
    finish_rearranged<kArrangement>(*this, out, x, y);
  }
};

template <class Lanes_>
struct Strict32 {
  using Lanes = Lanes_;
  using Word = u32;
  using Cell = u32;
  using V = typename Lanes::V;
  using Twiddle = Pair<Lanes>;
  static constexpr unsigned kLanes = Lanes::kLanes, kLogLanes = Lanes::kLogLanes;
  Tables<Lanes, Word> tables;
  V q;

  [[gnu::always_inline]] explicit Strict32(const Limb<Word>& limb)
      : tables(limb),
        q(Lanes::broadcast(static_cast<u32>(limb.q))) {}
  [[gnu::always_inline]] V load(const Word* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(Word* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V enter(V v) const { return v; }
  [[gnu::always_inline]] V below_2q(V v) const { return Lanes::reduce(v, q); }
  [[gnu::always_inline]] V bound(unsigned) const { return q; }
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const {  // any b
    return Lanes::reduce(Lanes::mullo(b, w.value) - Lanes::mullo(Lanes::mulhi(b, w.companion), q), q);
  }
  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = a, second = product(b, w);
    a = Lanes::reduce(first + second, q);
    b = Lanes::reduce(first + (q - second), q);
  }
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a + (q - b);  // below 2q < 2^32; product() takes any word
    a = Lanes::reduce(a + b, q);
    b = product(difference, w);
  }
  [[gnu::always_inline]] V finish(V v) const { return v; }
  template <unsigned kArrangement>
  [[gnu::always_inline]] void load_pair(const Word* in, V& x, V& y) const {
    load_rearranged<kArrangement>(*this, in, x, y);
  }
  template <unsigned kArrangement>
  [[gnu::always_inline]] void finish_pair(Word* out, V x, V y) const {
    finish_rearranged<kArrangement>(*this, out, x, y);
  }
};

template <template <class> class Engine, class Lanes>
struct InPlace {  // transforms of words that are as wide as the lanes
  using E = Engine<Lanes>;
  using W = typename E::Word;
  static constexpr unsigned kAll = E::kLogLanes;
  static void forward(const Limb<W>& limb, W* a) { kernels::forward<kAll>(E(limb), a, a, a); }
  static void forward_digit(const Limb<W>& limb, const DigitRow<W>& row, u32 k, const Prefetch&) {
    kernels::forward_digit(E(limb), limb, row, k, row.digits + k * std::size_t{limb.n});
  }
  static void inverse(const Limb<W>& limb, W* a) { kernels::inverse<kAll>(E(limb), a, a, a); }
};

}  // namespace ringfort::cpu::kernels
