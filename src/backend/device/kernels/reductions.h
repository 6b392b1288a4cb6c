// SPDX-License-Identifier: Apache-2.0
// Modular products that publications compare, and the butterflies made of them. Benchmarks compare these products
// (backend/device/variants.h). The verbs use the rules of limb.h, unless the option `ntt` or `times` of the device
// chooses a variant. This header needs no standard library.
//
// A reduction has these members:
//   kMostBits                      length of the largest modulus
//   kHasProducts                   false if one operand of multiply() must be a prepared factor
//   Operand                        type of a prepared factor
//   multiply(a, operand, modulus)  returns the canonical product of a canonical residue and a prepared factor
#pragma once

#include "backend/device/word.h"

namespace ringfort::device {

template <class Word>
struct Modulus {
  Word q;
  Word constant;   // Barrett: floor(2^(low_shift + high_shift) / q); Montgomery: -1 / q mod 2^bits; Harvey: -2q mod
                   // 2^bits
  u32 low_shift;   // Barrett: shift before the product with `constant`; built-in: leading zeros of q, minus two
  u32 high_shift;  // Barrett: shift after the product with `constant`

  // Returns x mod q for x in [0, 2q).
  [[nodiscard]] constexpr Word reduced(Word x) const { return reduce_once(x, q); }
  [[nodiscard]] constexpr Word sum(Word a, Word b) const { return reduced(a + b); }
  [[nodiscard]] constexpr Word difference(Word a, Word b) const {
    const Word x = a - b;
    return min<Word>(x, x + q);
  }
  // Returns x / 2 mod q for x in [0, 2q). The result is in [0, q) if x is in [0, q) [Shivdikar22, Section III-A].
  [[nodiscard]] constexpr Word half(Word x) const { return (x >> 1) + ((Word{0} - (x & 1)) & (q / 2 + 1)); }
};

// Returns the low word of floor(x / 2^shift). `shift` is less than the number of bits of two words.
[[nodiscard]] constexpr u32 shifted(const Wide<u32>& x, u32 shift) {
  return static_cast<u32>((u64{x.high()} << 32 | x.low()) >> shift);
}
[[nodiscard]] constexpr u64 shifted(const Wide<u64>& x, u32 shift) {
  if (shift >= 64) return x.high() >> (shift - 64);
  return x.low() >> shift | (x.high() << 1) << (63 - shift);
}

// Barrett's reduction and its instances [Barrett86, DhemQuisquater98]. Let x < q^2, and let m be the length of q in
// bits. The quotient
//   quotient = floor(floor(x / 2^(m - kDropped)) floor(2^(2m + kMore - kDropped) / q) / 2^(m + kMore))
// is at most kCorrections less than floor(x / q). The constants must fit into a word. Therefore q is at least kSpare
// bits shorter than a word.
template <class W, u32 kDropped, u32 kMore, u32 kSpare, u32 kCorrections>
struct Barrett {
  static constexpr u32 kMostBits = kBits<W> - kSpare;
  static constexpr bool kHasProducts = true;
  using Operand = W;

  static constexpr W multiply(W a, W b, const Modulus<W>& modulus) {
    const Wide<W> x = wide_product(a, b);
    const W begin = shifted(x, modulus.low_shift);
    const W quotient = shifted(wide_product(begin, modulus.constant), modulus.high_shift);
    W rest = x.low() - mul_low(quotient, modulus.q);
#pragma unroll 2
    for (u32 i = 0; i < kCorrections; ++i) rest = modulus.reduced(rest);
    return rest;
  }
  static constexpr u32 kLessLow = kDropped, kMoreHigh = kMore;  // shifts m - kLessLow, m + kMoreHigh
};
template <class W>
using ClassicalBarrett = Barrett<W, 1, 1, 2, 2>;  // [Shivdikar22, Alg. 2]
template <class W>
using DhemQuisquater = Barrett<W, 2, 5, 4, 1>;  // [Shivdikar22, Alg. 3]
template <class W>
using ProposedBarrett = Barrett<W, 2, 3, 2, 1>;  // [Shivdikar22, Alg. 4]

// The operator % of C++. u32 needs one division. GPUs do not divide 128 bits. Therefore u64 needs two divisions of 64
// bits, one for each digit of 32 bits [Knuth97, Section 4.3.1, Algorithm D].
template <class W>
struct Builtin;
template <>
struct Builtin<u32> {
  static constexpr u32 kMostBits = 30;
  static constexpr bool kHasProducts = true;
  using Operand = u32;
  static constexpr u32 multiply(u32 a, u32 b, const Modulus<u32>& modulus) {
    count_multiplication();
    count_division();
    return static_cast<u32>(u64{a} * b % modulus.q);
  }
};
template <>
struct Builtin<u64> {
  static constexpr u32 kMostBits = 62;
  static constexpr bool kHasProducts = true;
  using Operand = u64;
  static constexpr u64 multiply(u64 a, u64 b, const Modulus<u64>& modulus) {
    // The divisor has 62 bits. Therefore a partial remainder, which is between -2 and 1 times the divisor, fits into a
    // signed word.
    const u64 divisor = modulus.q << modulus.low_shift;
    const Wide<u64> x = wide_product(a, b << modulus.low_shift);
    u64 rest = with_digit(x.high(), static_cast<u32>(x.low() >> 32), divisor);
    rest = with_digit(rest, static_cast<u32>(x.low()), divisor);
    return rest >> modulus.low_shift;
  }

 private:
  // Returns (rest 2^32 + digit) mod divisor, for rest < divisor. The estimate of the quotient is at most two too large.
  static constexpr u64 with_digit(u64 rest, u32 digit, u64 divisor) {
    count_division();
    const u64 quotient = min<u64>((rest << 2 | digit >> 30) / (divisor >> 30), 0xFFFFFFFFu);
    u64 left = (rest << 32 | digit) - mul_low(quotient, divisor);
#pragma unroll 2
    for (u32 i = 0; i < 2; ++i) left += divisor & (u64{0} - (left >> 63));
    return left;
  }
};

// Montgomery's product [Montgomery85]. A factor w is prepared as w 2^bits mod q.
template <class W>
struct Montgomery {
  static constexpr u32 kMostBits = kBits<W> - 1;
  static constexpr bool kHasProducts = false;
  using Operand = W;
  static constexpr W multiply(W a, W b, const Modulus<W>& modulus) {
    const Wide<W> x = wide_product(a, b);
    const W multiple = mul_low(x.low(), modulus.constant);  // x + multiple q is a multiple of 2^bits
    return modulus.reduced(x.high() + mul_high(multiple, modulus.q) + static_cast<W>(x.low() != 0));
  }
};

// Shoup's product with one correction [Harvey14].
template <class W>
struct Shoup {
  static constexpr u32 kMostBits = kBits<W> - 1;
  static constexpr bool kHasProducts = false;
  using Operand = Factor<W>;
  static constexpr W multiply(W a, Factor<W> b, const Modulus<W>& modulus) {
    return modulus.reduced(multiply_lazy2(a, b, modulus.q));
  }
};

// Butterflies on canonical residues. Inverse butterflies halve both results, so that no pass divides by n. The prepared
// factors of inverse transforms include one half [Shivdikar22, Section III-A].
template <class W, class Reduction>
struct CanonicalRules {
  using Operand = typename Reduction::Operand;
  static constexpr u32 kMostBits = Reduction::kMostBits;
  static constexpr void forward(W& x, W& y, Operand w, const Modulus<W>& modulus) {
    const W product = Reduction::multiply(y, w, modulus), kept = x;
    x = modulus.sum(kept, product);
    y = modulus.difference(kept, product);
  }
  static constexpr void inverse(W& x, W& y, Operand w, const Modulus<W>& modulus) {
    const W difference = modulus.difference(x, y);
    x = modulus.half(modulus.sum(x, y));
    y = Reduction::multiply(difference, w, modulus);
  }
  static constexpr W finish_forward(W x, const Modulus<W>&) { return x; }
  static constexpr W finish_inverse(W x, const Modulus<W>&) { return x; }
};

// Butterflies on lazy residues [Harvey14]: in [0, 4q) in forward transforms, in [0, 2q) in inverse transforms.
template <class W>
struct HarveyRules {
  using Operand = Factor<W>;
  static constexpr u32 kMostBits = kBits<W> - 2;
  static constexpr void forward(W& x, W& y, Factor<W> w, const Modulus<W>& modulus) {
    const W kept = reduce_once<W>(x, 2 * modulus.q), product = multiply_lazy2(y, w, modulus.q);
    x = kept + product;
    y = kept - product + 2 * modulus.q;
  }
  static constexpr void inverse(W& x, W& y, Factor<W> w, const Modulus<W>& modulus) {
    const W difference = x - y + 2 * modulus.q;
    x = modulus.half(reduce_once<W>(x + y, 2 * modulus.q));
    y = multiply_lazy2(difference, w, modulus.q);
  }
  static constexpr W finish_forward(W x, const Modulus<W>& modulus) {
    return modulus.reduced(reduce_once<W>(x, 2 * modulus.q));
  }
  static constexpr W finish_inverse(W x, const Modulus<W>& modulus) { return modulus.reduced(x); }
};

}  // namespace ringfort::device
