// SPDX-License-Identifier: Apache-2.0
// Constants of a limb, and the two sets of rules for ranges of residues in words of `bits` bits: Lazy for q of at most
// bits - 2 bits (u32: q < 2^30, u64: q < 2^62), Strict for q of bits - 1 bits (u32: q < 2^31). Freestanding.
#pragma once

#include "backend/device/word.h"

namespace ringfort::device {

template <class Word>
struct Limb {
  Word q;
  Factor<Word> one;    // quotient floor(2^bits / q): reduces a word
  Factor<Word> power;  // 2^bits mod q: reduces the high word of a sum
  Factor<Word> scale;  // 1 / n: the last butterflies of the inverse transform
};

// Rules with the butterflies of [Harvey14], forward on [0, 4q), inverse on [0, 2q).
template <class Word>
struct Lazy {
  static constexpr u32 kMostBits = kBits<Word> - 2;
  static constexpr u32 kTerms = 16;  // products of two residues that a Wide holds

  static void forward(Word& x, Word& y, Factor<Word> w, Word q) {
    const Word kept = reduce_once<Word>(x, 2 * q), product = multiply_lazy2(y, w, q);
    x = kept + product;
    y = kept - product + 2 * q;
  }
  static Word forward_canonical(Word x, Word q) { return reduce_once<Word>(reduce_once<Word>(x, 2 * q), q); }

  static void inverse(Word& x, Word& y, Factor<Word> w, Word q) {
    const Word difference = x - y + 2 * q;
    x = reduce_once<Word>(x + y, 2 * q);
    y = multiply_lazy2(difference, w, q);
  }
  // Returns x / n.
  static Word scaled(Word x, const Limb<Word>& limb) { return multiply_lazy2(x, limb.scale, limb.q); }
  static Word inverse_canonical(Word x, Word q) { return reduce_once<Word>(x, q); }

  // Returns any double word mod q.
  static Word reduce(const Wide<Word>& x, const Limb<Word>& limb) {
    const Word sum = multiply_lazy2(x.high, limb.power, limb.q) + multiply_lazy2(x.low, limb.one, limb.q);
    return forward_canonical(sum, limb.q);
  }
};

// Rules with residues in [0, q).
template <class Word>
struct Strict {
  static constexpr u32 kMostBits = kBits<Word> - 1;
  static constexpr u32 kTerms = 4;

  static void forward(Word& x, Word& y, Factor<Word> w, Word q) {
    const Word product = reduce_once(multiply_lazy2(y, w, q), q), kept = x;
    x = reduce_once<Word>(kept + product, q);
    y = reduce_once<Word>(kept - product + q, q);
  }
  static Word forward_canonical(Word x, Word) { return x; }

  static void inverse(Word& x, Word& y, Factor<Word> w, Word q) {
    const Word difference = x - y + q;
    x = reduce_once<Word>(x + y, q);
    y = reduce_once(multiply_lazy2(difference, w, q), q);
  }
  static Word scaled(Word x, const Limb<Word>& limb) {
    return reduce_once(multiply_lazy2(x, limb.scale, limb.q), limb.q);
  }
  static Word inverse_canonical(Word x, Word) { return x; }

  static Word reduce(const Wide<Word>& x, const Limb<Word>& limb) {
    const Word high = reduce_once(multiply_lazy2(x.high, limb.power, limb.q), limb.q),
               low = reduce_once(multiply_lazy2(x.low, limb.one, limb.q), limb.q);
    return reduce_once<Word>(high + low, limb.q);
  }
};

// Returns (high 2^64 + low) mod q.
template <class Rules, class Word>
[[nodiscard]] inline Word reduce_double(u64 low, u64 high, const Limb<Word>& limb) {
  if constexpr (sizeof(Word) == 8) {
    return Rules::reduce({low, high}, limb);
  } else {
    Word rest = Rules::reduce({static_cast<u32>(high), static_cast<u32>(high >> 32)}, limb);
    rest = Rules::reduce({static_cast<u32>(low >> 32), rest}, limb);
    return Rules::reduce({static_cast<u32>(low), rest}, limb);
  }
}

// A batch of polynomials in device memory: limb l of polynomial p begins at words + p * stride + l * n.
template <class Word>
struct Batch {
  Word* words;
  u64 stride;  // in words; 0: one polynomial serves all
};

// The polynomial and limb of a block. All blocks of a limb are neighbours, so that its constants stay in the cache.
struct Unit {
  u32 polynomial, limb;
  template <class Word>
  [[nodiscard]] Word* of(const Batch<Word>& batch, u32 log_n) const {
    return batch.words + polynomial * batch.stride + (u64{limb} << log_n);
  }
};

[[nodiscard]] inline Unit unit_of(u32 number, u32 polynomials) {
  const u32 limb = number / polynomials;
  return {number - limb * polynomials, limb};
}

}  // namespace ringfort::device
