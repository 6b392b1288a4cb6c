// SPDX-License-Identifier: Apache-2.0
// Element-wise verbs over Lanes (see engines.h). n is a multiple of the number of lanes. `out` may be one of the
// inputs.
//
// Products use Barrett reduction [Barrett86]. k is the number of bits of q. B is the width of the multiplier (Factor in
// limb.h). A shift and the upper half of one product give t, an estimate of floor(c / q) for a product c:
//   u64: c1 = floor(c / 2^(k-2)) < 2^(k+2), t = floor(c1 mu / 2^B), mu = floor(2^(k-2+B) / q), k + 2 <= B
//   u32: c1 = floor(c / 2^(k-1)) < 2^(k+1), t = floor(c1 mu / 2^32), mu = floor(2^(k+31) / q)
// Each of the three roundings makes t smaller by at most 1. Therefore c/q - t < 3 (t is too small by at most 2), and
// c - t q < 3q. Conditional subtractions of 2q and of q complete the reduction.
#pragma once

#include "backend/cpu/kernels/digits.h"

namespace ringfort::cpu::kernels {

template <class Lanes, class W = typename Lanes::Word>
void add(const Limb<W>& limb, W* out, const W* a, const W* b, std::size_t n) {
  const auto q = Lanes::broadcast(static_cast<W>(limb.q));
  for (std::size_t j = 0; j < n; j += Lanes::kLanes)
    Lanes::store(out + j, Lanes::reduce(Lanes::load(a + j) + Lanes::load(b + j), q));
}

template <class Lanes, class W = typename Lanes::Word>
void subtract(const Limb<W>& limb, W* out, const W* a, const W* b, std::size_t n) {
  const auto q = Lanes::broadcast(static_cast<W>(limb.q));
  for (std::size_t j = 0; j < n; j += Lanes::kLanes) {
    Lanes::store(out + j, Lanes::reduce(Lanes::load(a + j) + (q - Lanes::load(b + j)), q));
  }
}

template <class Lanes, class W = typename Lanes::Word>
void negate(const Limb<W>& limb, W* out, const W* a, std::size_t n) {
  const auto q = Lanes::broadcast(static_cast<W>(limb.q));
  for (std::size_t j = 0; j < n; j += Lanes::kLanes) Lanes::store(out + j, Lanes::reduce(q - Lanes::load(a + j), q));
}

// Products of u64 words. Lanes has kMultiplierBits = B. mulhi and mullo return the exact upper and lower half of a
// product, of B bits each. wrap() reduces mod 2^B.
template <class Lanes>
struct Multiplier64 {
  using V = typename Lanes::V;
  using Word = u64;
  static constexpr unsigned kLanes = Lanes::kLanes;
  V q, q2, barrett;
  unsigned down, up;

  [[gnu::always_inline]] explicit Multiplier64(const Limb<u64>& limb)
      : q(Lanes::broadcast(limb.q)),
        q2(Lanes::broadcast(2 * limb.q)),
        barrett(Lanes::broadcast(limb.barrett)),
        down(limb.bits - 2),
        up(Lanes::kMultiplierBits - (limb.bits - 2)) {}
  [[gnu::always_inline]] V load(const u64* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(u64* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V multiply(V a, V b) const {
    const V hi = Lanes::mulhi(a, b), lo = Lanes::mullo(a, b);
    const V quotient = Lanes::mulhi(hi << up | lo >> down, barrett);
    return Lanes::reduce(Lanes::reduce(Lanes::wrap(lo - Lanes::mullo(quotient, q)), q2), q);
  }
  [[gnu::always_inline]] V add(V a, V b) const { return Lanes::reduce(a + b, q); }
};

// Products of u32 words in 64-bit lanes (mul32 multiplies the lower halves of lanes).
template <class Lanes>
struct Multiplier32 {
  using V = typename Lanes::V;
  using Word = u32;
  static constexpr unsigned kLanes = Lanes::kLanes;
  V q, q2, barrett;
  unsigned down;

  [[gnu::always_inline]] explicit Multiplier32(const Limb<u32>& limb)
      : q(Lanes::broadcast(limb.q)),
        q2(Lanes::broadcast(2 * limb.q)),
        barrett(Lanes::broadcast(limb.barrett)),
        down(limb.bits - 1) {}
  [[gnu::always_inline]] static V broadcast(u64 x) { return Lanes::broadcast(x); }
  [[gnu::always_inline]] V load(const u32* p) const { return Lanes::widen(p); }
  [[gnu::always_inline]] void store(u32* p, V v) const { Lanes::narrow(p, v); }
  [[gnu::always_inline]] V multiply(V a, V b) const {
    const V c = Lanes::mul32(a, b);
    const V quotient = Lanes::mul32(c >> down, barrett) >> 32;
    return Lanes::reduce(Lanes::reduce(c - Lanes::mul32(quotient, q), q2), q);
  }
  [[gnu::always_inline]] V add(V a, V b) const { return Lanes::reduce(a + b, q); }
};

// Products of u32 words in 32-bit lanes. Requires q < 2^30, so that 3q fits a lane. Only products that are not yet
// reduced are in 64-bit lanes: one vector has the products of even words, another the products of odd words.
template <class Lanes, class Lanes64>
struct PackedMultiplier32 {
  using V = typename Lanes::V;
  using Word = u32;
  static constexpr unsigned kLanes = Lanes::kLanes;
  V q, q2, barrett;
  int down;

  [[gnu::always_inline]] explicit PackedMultiplier32(const Limb<u32>& limb)
      : q(broadcast(limb.q)),
        q2(q + q),
        barrett((V)Lanes64::broadcast(limb.barrett)),
        down(static_cast<int>(limb.bits - 1)) {}
  [[gnu::always_inline]] static V broadcast(u64 x) { return Lanes::broadcast(static_cast<u32>(x)); }
  [[gnu::always_inline]] V load(const u32* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(u32* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V quotient(V product) const {  // returns it in the upper halves of 64-bit lanes
    return Lanes::mul32((V)((typename Lanes64::V)product >> down), barrett);
  }
  [[gnu::always_inline]] V multiply(V a, V b) const {
    const V even = Lanes::mul32(a, b), odd = Lanes::mul32(Lanes::odd_words(a), Lanes::odd_words(b));
    const V t = Lanes::upper_halves(quotient(even), quotient(odd));
    return Lanes::reduce(Lanes::reduce(Lanes::difference_of_products(a, b, t, q), q2), q);
  }
  [[gnu::always_inline]] V add(V a, V b) const { return Lanes::reduce(a + b, q); }
};

template <class M, class W = typename M::Word>
void multiply(const Limb<W>& limb, W* out, const W* a, const W* b, std::size_t n) {
  const M m(limb);
  for (std::size_t j = 0; j < n; j += M::kLanes) m.store(out + j, m.multiply(m.load(a + j), m.load(b + j)));
}

template <class M, class W = typename M::Word>
void multiply_add(const Limb<W>& limb, W* out, const W* a, const W* b, std::size_t n) {
  const M m(limb);
  for (std::size_t j = 0; j < n; j += M::kLanes)
    m.store(out + j, m.add(m.load(out + j), m.multiply(m.load(a + j), m.load(b + j))));
}

template <class Lanes>
void multiply_scalar64(const Limb<u64>& limb, u64* out, const u64* a, const Factor<u64>& scalar, std::size_t n) {
  const auto q = Lanes::broadcast(limb.q), value = Lanes::broadcast(scalar.value),
             companion = Lanes::broadcast(scalar.companion);
  for (std::size_t j = 0; j < n; j += Lanes::kLanes) {
    const auto x = Lanes::load(a + j);
    const auto quotient = Lanes::mulhi(x, companion);
    Lanes::store(out + j, Lanes::reduce(Lanes::wrap(Lanes::mullo(x, value) - Lanes::mullo(quotient, q)), q));
  }
}

template <class M>
void multiply_scalar32(const Limb<u32>& limb, u32* out, const u32* a, const Factor<u64>& scalar, std::size_t n) {
  const M m(limb);
  const auto value = M::broadcast(scalar.value);
  for (std::size_t j = 0; j < n; j += M::kLanes) m.store(out + j, m.multiply(m.load(a + j), value));
}

// Writes digit d of all n words to out + d * n.
template <class Lanes, class W = typename Lanes::Word>
void plain_digits(const Limb<W>&, W* out, const W* a, const Digits& g, std::size_t n) {
  const auto mask = Lanes::broadcast(static_cast<W>((u64{1} << g.base_bits) - 1));
  for (u32 d = 0; d < g.digits; ++d) {
    const int down = static_cast<int>(g.shift + g.base_bits * d);
    for (std::size_t j = 0; j < n; j += Lanes::kLanes) Lanes::store(out + d * n + j, Lanes::load(a + j) >> down & mask);
  }
}

template <class Lanes, class W = typename Lanes::Word>
void centred_digits(const Limb<W>& limb, W* out, const W* a, const Digits& g, std::size_t n) {
  using V = typename Lanes::V;
  const Lifted<Lanes> lifted(limb, g);
  const DigitOf<Lanes> inner(limb, g, 0);
  const int base_bits = static_cast<int>(g.base_bits);
  for (std::size_t j = 0; j < n; j += Lanes::kLanes) {
    V rest = shifted<Lanes>(lifted(Lanes::load(a + j)), static_cast<int>(g.shift));
    W* digit = out + j;
    for (u32 d = 1; d < g.digits; ++d, digit += n) {
      Lanes::store(digit, Lanes::reduce((rest & inner.mask) + inner.unlift, lifted.q));
      rest = shifted<Lanes>(rest, base_bits);
    }
    Lanes::store(digit, Lanes::reduce(rest + lifted.q, lifted.q));
  }
}

// Computes the digits of any Gadget of backend/verbs.h. Processes one word at a time, in 128 bits.
template <class Lanes, class W>
void digits_of_any(const Limb<W>& limb, W* out, const W* a, const Digits& g, std::size_t n) {
  const i128 q = static_cast<i128>(limb.q), base = i128{1} << g.base_bits;
  for (std::size_t i = 0; i < n; ++i) {
    i128 y = static_cast<i128>(a[i]);
    if (g.centred) y -= q & -static_cast<i128>(y > q / 2);
    if (g.centred && g.shift != 0) y = ((y >> (g.shift - 1)) + 1) >> 1;
    else y >>= g.shift;
    for (u32 d = 0; d < g.digits; ++d) {
      i128 digit = y & (base - 1);
      if (g.centred) digit -= base & -static_cast<i128>(digit >= base / 2);
      if (g.centred && d + 1 == g.digits) digit = y;
      y = (y - digit) >> g.base_bits;
      out[d * n + i] = static_cast<W>(digit + (q & (digit >> 127)));
    }
  }
}

template <class Lanes, class W = typename Lanes::Word>
void decompose(const Limb<W>& limb, W* out, const W* a, const Digits& g, std::size_t n) {
  if (!g.fit(8 * sizeof(W))) digits_of_any<Lanes>(limb, out, a, g, n);
  else if (g.centred) centred_digits<Lanes>(limb, out, a, g, n);
  else plain_digits<Lanes>(limb, out, a, g, n);
}

}  // namespace ringfort::cpu::kernels
