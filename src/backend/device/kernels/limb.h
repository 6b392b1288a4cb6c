// SPDX-License-Identifier: Apache-2.0
// Constants of a limb, and two sets of rules, which state the ranges of residues inside kernels. Lazy is for a q that
// is at least two bits shorter than a word (u32: q < 2^30, u64: q < 2^62). Strict is for a q that is at least one bit
// shorter than a word (u32: q < 2^31). This header needs no standard library.
#pragma once

#include "backend/device/word.h"

namespace ringfort::device {

// The members minus_q and minus_2q are -q and -2q modulo 2^bits, where `bits` is the length of a word. A GPU can add
// such a number to a product in one operation. It can also add the number and take a minimum in one operation.
template <class Word>
struct Limb {
  Word q, minus_q;
  Factor<Word> one;    // quotient floor(2^bits / q): reduces a word
  Factor<Word> power;  // 2^bits mod q: reduces the high word of a sum
  Factor<Word> scale;  // 1 / n: the last butterflies of the inverse transform
  Word minus_2q;

  // canonical() returns x mod q for x in [0, 2q). below_2q() returns a residue in [0, 2q) for x in [0, 4q).
  [[nodiscard]] constexpr Word canonical(Word x) const { return min<Word>(x, x + minus_q); }
  [[nodiscard]] constexpr Word below_2q(Word x) const { return min<Word>(x, x + minus_2q); }
  // Returns x times the factor mod q, in [0, 2q). x is any word.
  [[nodiscard]] constexpr Word times(Word x, Factor<Word> factor) const {
    return mul_low(x, factor.value) + mul_low(mul_high(x, factor.quotient), minus_q);
  }
  // Returns the same as times(). This function is for a word x that is not itself a product.
  [[nodiscard]] constexpr Word twiddled(Word x, Factor<Word> factor) const {
    return sum_of_products(x, factor.value, mul_high(x, factor.quotient), minus_q);
  }
};

// Rules with the butterflies of [Harvey14]: residues are in [0, 4q) in forward transforms, and in [0, 2q) in inverse
// transforms.
template <class Word>
struct Lazy {
  static constexpr u32 kMostBits = kBits<Word> - 2;
  static constexpr u32 kTerms = 16;  // number of products of two residues whose sum fits into a Wide

  static constexpr void forward(Word& x, Word& y, Factor<Word> w, const Limb<Word>& limb) {
    const Word product = limb.twiddled(y, w), kept = limb.below_2q(x);
    x = kept + product;
    y = kept - product - limb.minus_2q;
  }
  static constexpr Word forward_canonical(Word x, const Limb<Word>& limb) { return limb.canonical(limb.below_2q(x)); }

  static constexpr void inverse(Word& x, Word& y, Factor<Word> w, const Limb<Word>& limb) {
    const Word difference = x - y - limb.minus_2q;
    x = limb.below_2q(x + y);
    y = limb.twiddled(difference, w);
  }
  // Returns x / n.
  static constexpr Word scaled(Word x, const Limb<Word>& limb) { return limb.times(x, limb.scale); }
  static constexpr Word inverse_canonical(Word x, const Limb<Word>& limb) { return limb.canonical(x); }

  // Returns x mod q for any double word x.
  static constexpr Word reduce(const Wide<Word>& x, const Limb<Word>& limb) {
    return forward_canonical(limb.times(x.high(), limb.power) + limb.times(x.low(), limb.one), limb);
  }
};

// Rules with residues in [0, q) everywhere.
template <class Word>
struct Strict {
  static constexpr u32 kMostBits = kBits<Word> - 1;
  static constexpr u32 kTerms = 4;

  static constexpr void forward(Word& x, Word& y, Factor<Word> w, const Limb<Word>& limb) {
    const Word product = limb.canonical(limb.times(y, w)), kept = x;
    x = limb.canonical(kept + product);
    y = limb.canonical(kept - product + limb.q);
  }
  static constexpr Word forward_canonical(Word x, const Limb<Word>&) { return x; }

  static constexpr void inverse(Word& x, Word& y, Factor<Word> w, const Limb<Word>& limb) {
    const Word difference = x - y + limb.q;
    x = limb.canonical(x + y);
    y = limb.canonical(limb.times(difference, w));
  }
  static constexpr Word scaled(Word x, const Limb<Word>& limb) { return limb.canonical(limb.times(x, limb.scale)); }
  static constexpr Word inverse_canonical(Word x, const Limb<Word>&) { return x; }

  static constexpr Word reduce(const Wide<Word>& x, const Limb<Word>& limb) {
    return limb.canonical(limb.canonical(limb.times(x.high(), limb.power)) +
                          limb.canonical(limb.times(x.low(), limb.one)));
  }
};

// Returns (high 2^64 + low) mod q.
template <class Rules, class Word>
[[nodiscard]] constexpr Word reduce_double(u64 low, u64 high, const Limb<Word>& limb) {
  if constexpr (sizeof(Word) == 8) {
    return Rules::reduce({low, high}, limb);
  } else {
    Word rest = Rules::reduce({static_cast<u32>(high), static_cast<u32>(high >> 32)}, limb);
    rest = Rules::reduce({static_cast<u32>(low >> 32), rest}, limb);
    return Rules::reduce({static_cast<u32>(low), rest}, limb);
  }
}

// A batch of polynomials in device memory. Limb l of polynomial p begins at words + p * stride + l * n.
template <class Word>
struct Batch {
  Word* words;
  u64 stride;  // in words; 0 if one polynomial serves as all polynomials
};

// The polynomial and the limb on which a block works. Blocks that work on one limb have neighbouring numbers. Therefore
// the constants of the limb stay in the cache.
struct Unit {
  u32 polynomial, limb;
  template <class Word>
  [[nodiscard]] constexpr Word* of(const Batch<Word>& batch, u32 log_n) const {
    return batch.words + polynomial * batch.stride + (u64{limb} << log_n);
  }
};

[[nodiscard]] constexpr Unit unit_of(u32 number, u32 polynomials) {
  const u32 limb = number / polynomials;
  return {number - limb * polynomials, limb};
}

}  // namespace ringfort::device
