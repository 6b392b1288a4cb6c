// SPDX-License-Identifier: Apache-2.0
// Reads the tables of a limb as vectors. Also has three engines that compute with integers, for vectors without IFMA's
// 52-bit multiplier. An engine is the arithmetic of a transform (transform.h). The parameter `Lanes` wraps the vectors
// of an instruction set. It has their type V, their number of lanes, and the functions that engines call.
// reduce(x, bound) returns x - bound if x >= bound, and x if not.
//   Lazy     u64 with q < 2^62, or u32 with q < 2^30. Values are in [0, 4q), products in [0, 2q) [Harvey14].
//   Near     u64 with q < 2^61. Quotients omit carries (mulhi64_near), and are up to 2 smaller than the quotients of
//            Lazy. Therefore products are below 4q, and values below 8q.
//   Strict32 u32 with q < 2^31. Products are canonical, because 4q does not fit a lane. Values are below 2q in forward
//            transforms, and canonical in inverse transforms.
// In inverse transforms, the values of Lazy and Near stay in the range of a product.
#pragma once

#include <type_traits>

#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

template <class Lanes>
struct Pair {  // a constant factor and its companion: see Factor
  using Word = typename Lanes::Word;
  using V = typename Lanes::V;
  V value, companion;
  [[gnu::always_inline]] static Pair uniform(Word value, Word companion) {
    return {Lanes::broadcast(value), Lanes::broadcast(companion)};
  }
  [[gnu::always_inline]] static Pair of(V value, V companion) { return {value, companion}; }
};

template <class Lanes>
struct SplitPair {  // `odd` has the parts of the companion for mul32: odd words (u32) or upper halves (u64)
  using Word = typename Lanes::Word;
  using V = typename Lanes::V;
  V value, companion, odd;
  [[gnu::always_inline]] static SplitPair uniform(Word value, Word companion) {
    const Word odd = sizeof(Word) == 4 ? companion : static_cast<Word>(u64{companion} >> 32);
    return {Lanes::broadcast(value), Lanes::broadcast(companion), Lanes::broadcast(odd)};
  }
  [[gnu::always_inline]] static SplitPair of(V value, V companion) {
    return {value, companion, Lanes::odd_words(companion)};
  }
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

template <class Lanes, class Word, class Twiddle_ = Pair<Lanes>>
struct Tables {
  using Cell = typename Lanes::Word;
  using Twiddle = Twiddle_;
  std::size_t n;
  unsigned log_n;
  const Cell *powers, *companions, *inverse_powers, *inverse_companions;
  Factor<u64> scale_factor, last_factor;
  u64 q;

  [[gnu::always_inline]] explicit Tables(const Limb<Word>& limb)
      : n(limb.n),
        log_n(limb.log_n),
        powers(static_cast<const Cell*>(limb.powers)),
        companions(static_cast<const Cell*>(limb.companions)),
        inverse_powers(static_cast<const Cell*>(limb.inverse_powers)),
        inverse_companions(static_cast<const Cell*>(limb.inverse_companions)),
        scale_factor(limb.scale),
        last_factor(limb.last),
        q(limb.q) {}

  template <bool kInverse>
  [[gnu::always_inline]] Twiddle single(std::size_t i) const {
    if constexpr (kInverse) return Twiddle::uniform(inverse_powers[i], inverse_companions[i]);
    else return Twiddle::uniform(powers[i], companions[i]);
  }
  // Returns kCount entries from i on, repeated to fill all lanes. If the vectors have SplitHalves (transform.h), each
  // half of a vector repeats half of these entries.
  template <bool kInverse, unsigned kCount>
  [[gnu::always_inline]] Twiddle several(std::size_t i) const {
    if constexpr (kInverse)
      return Twiddle::of(Lanes::template repeat<kCount>(inverse_powers + i),
                         Lanes::template repeat<kCount>(inverse_companions + i));
    else return Twiddle::of(Lanes::template repeat<kCount>(powers + i), Lanes::template repeat<kCount>(companions + i));
  }
  [[gnu::always_inline]] Twiddle constant(const Factor<u64>& f) const {
    if constexpr (std::is_same_v<Cell, double>) return doubles_of<Lanes>(f.value, q);
    else if constexpr (requires { Twiddle::centred(f.value, q); }) return Twiddle::centred(f.value, q);
    else return Twiddle::uniform(static_cast<Cell>(f.value), static_cast<Cell>(f.companion));
  }
  [[gnu::always_inline]] Twiddle scale() const { return constant(scale_factor); }
  [[gnu::always_inline]] Twiddle last() const { return constant(last_factor); }
};

template <class Lanes_, bool kNear>
struct LazyEngine {
  using Lanes = Lanes_;
  using Word = typename Lanes::Word;
  using Cell = Word;
  using V = typename Lanes::V;
  using Twiddle = SplitPair<Lanes>;
  static constexpr unsigned kLanes = Lanes::kLanes, kLogLanes = Lanes::kLogLanes;
  Tables<Lanes, Word, Twiddle> tables;
  V q, q2, limit;  // limit: a bound on products; values are below 2 limit

  [[gnu::always_inline]] explicit LazyEngine(const Limb<Word>& limb)
      : tables(limb),
        q(Lanes::broadcast(static_cast<Word>(limb.q))),
        q2(q + q),
        limit(kNear ? q2 + q2 : q2) {}
  [[gnu::always_inline]] V load(const Word* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(Word* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V enter(V v) const { return v; }
  [[gnu::always_inline]] V below_2q(V v) const { return v; }
  [[gnu::always_inline]] V bound(unsigned) const { return limit; }
  [[gnu::always_inline]] V quotient(V b, const Twiddle& w) const {
    if constexpr (kNear) return Lanes::mulhi_near(b, w.companion, w.odd);
    else if constexpr (sizeof(Word) == 4) return Lanes::mulhi(b, w.companion, w.odd);
    else return Lanes::mulhi(b, w.companion);
  }
  [[gnu::always_inline]] V lazy_product(V b, const Twiddle& w) const {  // takes any b; returns a value in [0, limit)
    return Lanes::difference_of_products(b, w.value, quotient(b, w), q);
  }
  [[gnu::always_inline]] V canonical(V v) const {  // reduces a product to [0, q)
    return Lanes::reduce(kNear ? Lanes::reduce(v, q2) : v, q);
  }
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const { return canonical(lazy_product(b, w)); }
  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = kCanonical ? a : Lanes::reduce(a, limit), second = lazy_product(b, w);
    a = first + second;
    b = first + limit - second;
  }
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a + limit - b;
    a = kCanonical ? a + b : Lanes::reduce(a + b, limit);
    b = lazy_product(difference, w);
  }
  [[gnu::always_inline]] V finish(V v) const { return canonical(Lanes::reduce(v, limit)); }
};
template <class Lanes>
using Lazy = LazyEngine<Lanes, false>;
template <class Lanes>
using Near = LazyEngine<Lanes, true>;

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
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const {  // takes any b
    return Lanes::reduce(Lanes::mullo(b, w.value) - Lanes::mullo(Lanes::mulhi(b, w.companion), q), q);
  }
  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = kCanonical ? a : Lanes::reduce(a, q), second = product(b, w);
    a = first + second;
    b = first + (q - second);
  }
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a + (q - b);  // below 2q < 2^32, which product() accepts
    a = Lanes::reduce(a + b, q);
    b = product(difference, w);
  }
  [[gnu::always_inline]] V finish(V v) const { return Lanes::reduce(v, q); }
};

template <template <class> class Engine, class Lanes>
struct InPlace {  // transforms of words that are as wide as the lanes
  using E = Engine<Lanes>;
  using W = typename E::Word;
  static void forward(const Limb<W>& limb, W* a) { kernels::forward(E(limb), a, a, a); }
  static void forward_digit(const Limb<W>& limb, const DigitRow<W>& row, u32 k, const Prefetch&) {
    kernels::forward_digit(E(limb), limb, row, k, row.digits + k * std::size_t{limb.n});
  }
  static void inverse(const Limb<W>& limb, W* a) { kernels::inverse(E(limb), a, a, a); }
};

}  // namespace ringfort::cpu::kernels
