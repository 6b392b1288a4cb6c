// SPDX-License-Identifier: Apache-2.0
// The engine of transforms (kernels/transform.h) modulo the Fermat prime q = 2^16 + 1 = 65537, the usual plaintext
// modulus of BFV and BGV. A lane is a signed word of 32 bits. fold() writes a word as l + 2^16 h, with -2^15 <= l <
// 2^15, and returns l - h, because 2^16 = -1 mod q. The result is at most 2^15 + |v| / 2^16 + 1 in absolute value,
// where v is the word. No quotient is computed, and tables have no companions. Twiddles w are centred: |w| <= 2^15. A
// product of v and w is fold(fold(v) w). Ranges for 2^5 <= n <= 2^15 (there are no roots for larger n):
//   forward  A stage adds products of words below 2^20. Such a product is below 0.76 q. After the first stage, values
//            are below 2 q, and there are at most 15 stages. Therefore all values are below 2 q + 15 * 0.76 q < 2^20.
//            The twiddle of the first stage is 2^8 or -2^8. Therefore its operands need no first fold.
//   inverse  The first sums are a + b - q, with |a + b - q| <= q. Every later stage doubles the bound. Therefore
//            sums and differences are at most 2^14 q < 2^31, and products of such words are below q. The operands of
//            the first stage are residues. Its twiddles have order 2n, and therefore none is 2^15 or -2^15, whose
//            order is 32. Therefore the products of its differences are below 2^31 without a first fold.
// The engine is a template over the width of the word (q is 2^(half the width) + 1), so that a test can try all
// operands of a shorter word.
#pragma once

#include "backend/cpu/kernels/engines.h"

namespace ringfort::cpu::kernels {

template <class Lanes>
struct CentredTwiddle {
  using Word = typename Lanes::Word;
  using V = typename Lanes::V;
  V value;
  [[gnu::always_inline]] static CentredTwiddle uniform(Word value, Word) { return {Lanes::broadcast(value)}; }
  [[gnu::always_inline]] static CentredTwiddle of(V value, V) { return {value}; }
  [[gnu::always_inline]] static CentredTwiddle centred(u64 value, u64 q) {
    return {Lanes::broadcast(static_cast<Word>(value > q / 2 ? value - q : value))};
  }
};

template <class Lanes_>
struct Fermat {
  using Lanes = Lanes_;
  using Word = typename Lanes::Word;
  using Cell = Word;
  using V = typename Lanes::V;
  using Twiddle = CentredTwiddle<Lanes>;
  static constexpr unsigned kLanes = Lanes::kLanes, kLogLanes = Lanes::kLogLanes;
  static constexpr unsigned kHalf = 4 * sizeof(Word);  // bits of half a word
  Tables<Lanes, Word, Twiddle> tables;
  V q, sign, low_minus_high;

  [[gnu::always_inline]] explicit Fermat(const Limb<Word>& limb)
      : tables(limb),
        q(Lanes::broadcast(static_cast<Word>(limb.q))),
        sign(Lanes::broadcast(static_cast<Word>(1u << (kHalf - 1)))),
        low_minus_high(Lanes::broadcast(static_cast<Word>((~u64{0} << kHalf) + 1))) {}
  [[gnu::always_inline]] V load(const Word* p) const { return Lanes::load(p); }
  [[gnu::always_inline]] void store(Word* p, V v) const { Lanes::store(p, v); }
  [[gnu::always_inline]] V enter(V v) const { return v; }
  [[gnu::always_inline]] V below_2q(V v) const { return v; }
  [[gnu::always_inline]] V bound(unsigned) const { return V{}; }
  // If the lower half is negative, the sum carries 1 into the upper half. The XOR restores the lower half.
  [[gnu::always_inline]] V fold(V v) const { return Lanes::dot_halves((v + sign) ^ sign, low_minus_high); }
  template <bool kCanonical = false>
  [[gnu::always_inline]] V lazy_product(V b, const Twiddle& w) const {
    return fold(Lanes::mullo(kCanonical ? b : fold(b), w.value));
  }
  [[gnu::always_inline]] V canonical(V v) const { return Lanes::reduce(v + q, q); }  // for |v| < q
  [[gnu::always_inline]] V product(V b, const Twiddle& w) const { return canonical(lazy_product(b, w)); }
  template <bool kCanonical, unsigned>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = a, second = lazy_product<kCanonical>(b, w);
    a = first + second;
    b = first - second;
  }
  template <bool kCanonical, unsigned, unsigned>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a - b;
    a = kCanonical ? a + b - q : a + b;
    b = lazy_product<kCanonical>(difference, w);
  }
  [[gnu::always_inline]] V finish(V v) const { return canonical(fold(v)); }
};

}  // namespace ringfort::cpu::kernels
