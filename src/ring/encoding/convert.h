// SPDX-License-Identifier: Apache-2.0
// The last step of the decryption of integers (convert_to_plain in rlwe/integers/ring.h). It converts residues modulo
// the primes of a chain (the primes of a context) to residues modulo one t < 2^31. The template argument Lanes is a
// struct for one instruction set. Lanes::V is a vector of Lanes::kLanes words of 64 bits. Lanes::mul32(a, b) multiplies
// the lower 32 bits of each lane of a by the lower 32 bits of the same lane of b.
#pragma once

#include "ring/encoding/kernels.h"
#include "ring/encoding/vectors.h"

namespace ringfort::encoding {

namespace {

template <class Lanes>
struct ToPlain {
  static constexpr unsigned kLanes = Lanes::kLanes;
  using V = typename Lanes::V;
  static constexpr std::uint64_t kLow = 0xFFFFFFFF;

  [[gnu::always_inline]] static V mul(V a, V b) { return Lanes::mul32(a, b); }
  [[gnu::always_inline]] static V repeated(std::uint64_t x) { return V{} + x; }

  // Returns floor(a b / 2^64).
  [[gnu::always_inline]] static V mulhi(V a, V b) {
    const V a1 = a >> 32, b1 = b >> 32, low = mul(a, b), first = mul(a1, b) + (low >> 32), high = mul(a1, b1);
    const V second = mul(a, b1) + (first & kLow);
    return high + (first >> 32) + (second >> 32);
  }

  // A sum of at most 2^7 products of a residue and a weight, each below 2^63.4, and one further product below 2^63. Its
  // value is low + 2^32 high.
  struct Sum {
    V low{}, high{};
    [[gnu::always_inline]] void add(V product) {
      low += product & kLow;
      high += product >> 32;
    }
    // high < 2^39 and low < 2^40. Therefore x < 2^63 + 2^41, and the quotient is at most one too small.
    [[gnu::always_inline]] V reduced(const PlainModulus& t) const {
      const V x = mul(high >> 32, repeated(t.power64)) + mul(high, repeated(t.power32)) + low;
      const V quotient = mulhi(x, repeated(t.ratio)), modulus = repeated(t.value);
      const V r = x - mul(quotient, modulus) - (mul(quotient >> 32, modulus) << 32), less = r - modulus;
      return less < r ? less : r;
    }
  };

  static void convert(const std::uint64_t* residues, std::uint64_t* out, std::size_t n, const PlainWeight* weights,
                      std::size_t count, const PlainModulus& t) {
    for (std::size_t j = 0; j < n; j += kLanes) {
      V fraction = repeated(std::uint64_t{1} << (kFractionBits - 1));
      Sum sum;
      for (std::size_t i = 0; i < count; ++i) {
        const PlainWeight& weight = weights[i];
        const V word = load<V>(residues + i * n + j);
        fraction += mulhi(word << weight.shift, repeated(weight.fraction)) >> (63 - kFractionBits);
        sum.add(mul(word, repeated(weight.value)) + mul(word >> 32, repeated(weight.value32)));
      }
      sum.add(mul(fraction >> kFractionBits, repeated(t.whole)));
      store(out + j, sum.reduced(t));
    }
  }
};

}  // namespace

}  // namespace ringfort::encoding
