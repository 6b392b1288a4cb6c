// SPDX-License-Identifier: Apache-2.0
// Portable kernels, one word at a time, canonical after every operation: u32 (q < 2^31) and u64 (q < 2^62) with Shoup's
// constants, u128 (q < 2^127) with Montgomery multiplication (constant factors are in Montgomery form, products are
// not). Every instruction set uses them for degrees that are too small for its vectors.
#include "backend/cpu/kernels/elementwise.h"
#include "backend/cpu/kernels/radix2.h"
#include "math/word.h"

namespace ringfort::cpu::generic {
namespace {

template <class W, class Wide, class S>
struct ScalarLanes {
  using Word = W;
  using V = W;
  using Signed = S;
  static constexpr unsigned kLanes = 1, kMultiplierBits = 8 * sizeof(W);
  static V load(const W* p) { return *p; }
  static void store(W* p, V v) { *p = v; }
  static V broadcast(W x) { return x; }
  static V reduce(V x, V bound) { return x - (bound & (W{0} - static_cast<W>(x >= bound))); }
  static V mulhi(V a, V b) { return static_cast<W>(static_cast<Wide>(a) * b >> kMultiplierBits); }
  static V mullo(V a, V b) { return a * b; }
  static V mul32(V a, V b) { return a * b; }
  static V wrap(V v) { return v; }
  static V widen(const u32* p) { return *p; }
  static void narrow(u32* p, V v) { *p = static_cast<u32>(v); }
};
using Lanes32 = ScalarLanes<u32, u64, std::int32_t>;
using Lanes64 = ScalarLanes<u64, u128, i64>;
using Lanes128 = ScalarLanes<u128, u128, i128>;  // has no mulhi

// Modular products of words: product() by a constant, multiply() of two variables.
template <class Lanes, class M>
struct Shoup {
  using Word = typename Lanes::Word;
  using Twiddle = Factor<Word>;
  Word q;
  const Word *powers, *companions, *inverse_powers, *inverse_companions;
  M m;

  explicit Shoup(const Limb<Word>& limb)
      : q(static_cast<Word>(limb.q)),
        powers(static_cast<const Word*>(limb.powers)),
        companions(static_cast<const Word*>(limb.companions)),
        inverse_powers(static_cast<const Word*>(limb.inverse_powers)),
        inverse_companions(static_cast<const Word*>(limb.inverse_companions)),
        m(limb) {}
  Word product(Word b, const Twiddle& w) const {
    return Lanes::reduce(b * w.value - Lanes::mulhi(b, w.companion) * q, q);
  }
  Word multiply(Word a, Word b) const { return static_cast<Word>(m.multiply(a, b)); }
  template <bool kInverse>
  Twiddle twiddle(std::size_t i) const {
    if constexpr (kInverse) return {inverse_powers[i], inverse_companions[i]};
    else return {powers[i], companions[i]};
  }
  static Twiddle factor(const Factor<u64>& f) { return {static_cast<Word>(f.value), static_cast<Word>(f.companion)}; }
};

struct MontgomeryWords {
  using Word = u128;
  using Twiddle = u128;  // in Montgomery form
  Word q;
  const Word *powers, *inverse_powers;
  Word inverse, square;

  explicit MontgomeryWords(const Limb<u128>& limb)
      : q(limb.q),
        powers(static_cast<const Word*>(limb.powers)),
        inverse_powers(static_cast<const Word*>(limb.inverse_powers)),
        inverse(limb.montgomery_inverse),
        square(limb.montgomery_square) {}
  Word product(Word b, Twiddle w) const {
    const Wide128 c = mul_wide<u128>(b, w);
    const Word cancel = mulhi<u128>(c.lo * inverse, q);
    return c.hi - cancel + (q & (Word{0} - static_cast<Word>(c.hi < cancel)));
  }
  Word multiply(Word a, Word b) const { return product(product(a, b), square); }
  template <bool kInverse>
  Twiddle twiddle(std::size_t i) const {
    return kInverse ? inverse_powers[i] : powers[i];
  }
  static Twiddle factor(const Factor<u128>& f) { return f.value; }
};

template <class Lanes, class Arithmetic>
struct Engine {
  using Word = typename Lanes::Word;
  using Twiddle = typename Arithmetic::Twiddle;
  std::size_t n;
  Arithmetic arithmetic;
  Twiddle scale[2], last_factor[2];  // [0] for the full inverse, [1] for the truncated one

  explicit Engine(const Limb<Word>& limb)
      : n(limb.n),
        arithmetic(limb),
        scale{Arithmetic::factor(limb.scale), Arithmetic::factor(limb.half_scale)},
        last_factor{Arithmetic::factor(limb.last), Arithmetic::factor(limb.half_last)} {}
  template <bool kInverse>
  Twiddle twiddle(std::size_t i) const {
    return arithmetic.template twiddle<kInverse>(i);
  }
  Word add(Word a, Word b) const { return Lanes::reduce(a + b, arithmetic.q); }
  Word subtract(Word a, Word b) const { return Lanes::reduce(a + (arithmetic.q - b), arithmetic.q); }
  Word multiply(Word a, Word b) const { return arithmetic.multiply(a, b); }
  Word product(Word b, const Twiddle& w) const { return arithmetic.product(b, w); }
  Word finish(Word v) const { return v; }
  void ct(Word& a, Word& b, const Twiddle& w) const {
    const Word second = product(b, w);
    b = subtract(a, second);
    a = add(a, second);
  }
  void gs(Word& a, Word& b, const Twiddle& w) const {
    const Word difference = subtract(a, b);
    a = add(a, b);
    b = product(difference, w);
  }
  void gs_last(Word& a, Word& b, bool truncated) const {
    const Word difference = subtract(a, b);
    a = product(add(a, b), scale[truncated]);
    b = product(difference, last_factor[truncated]);
  }
};

template <class E, class W = typename E::Word>
void forward(const Limb<W>& limb, W* a) {
  kernels::forward_radix2(E(limb), a, 1);
}
template <class E, class W = typename E::Word>
void inverse(const Limb<W>& limb, W* a) {
  kernels::inverse_radix2(E(limb), a, 1);
}
template <class E, class W = typename E::Word>
void polymul(const Limb<W>& limb, W* out, W* a, W* b) {
  kernels::polymul_radix2(E(limb), out, a, b);
}

void multiply128(const Limb<u128>& limb, u128* out, const u128* a, const u128* b, std::size_t n) {
  const MontgomeryWords m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = m.multiply(a[i], b[i]);
}

void multiply_add128(const Limb<u128>& limb, u128* out, const u128* a, const u128* b, std::size_t n) {
  const MontgomeryWords m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = Lanes128::reduce(out[i] + m.multiply(a[i], b[i]), m.q);
}

void multiply_scalar128(const Limb<u128>& limb, u128* out, const u128* a, const Factor<u128>& scalar, std::size_t n) {
  const MontgomeryWords m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = m.product(a[i], scalar.value);
}

template <class Lanes, class E>
constexpr Kernels<typename Lanes::Word> common() {
  Kernels<typename Lanes::Word> k;
  k.forward = &forward<E>;
  k.inverse = &inverse<E>;
  k.polymul = &polymul<E>;
  k.add = &kernels::add<Lanes>;
  k.subtract = &kernels::subtract<Lanes>;
  k.negate = &kernels::negate<Lanes>;
  return k;
}

using M32 = kernels::Multiplier32<Lanes64>;
using M64 = kernels::Multiplier64<Lanes64>;

constexpr Kernels<u32> table32() {
  Kernels<u32> k = common<Lanes32, Engine<Lanes32, Shoup<Lanes32, M32>>>();
  k.multiply = &kernels::multiply<M32>;
  k.multiply_add = &kernels::multiply_add<M32>;
  k.multiply_scalar = &kernels::multiply_scalar32<Lanes64>;
  k.decompose = &kernels::decompose<Lanes32>;
  return k;
}

constexpr Kernels<u64> table64() {
  Kernels<u64> k = common<Lanes64, Engine<Lanes64, Shoup<Lanes64, M64>>>();
  k.multiply = &kernels::multiply<M64>;
  k.multiply_add = &kernels::multiply_add<M64>;
  k.multiply_scalar = &kernels::multiply_scalar64<Lanes64>;
  k.decompose = &kernels::decompose<Lanes64>;
  return k;
}

constexpr Kernels<u128> table128() {
  Kernels<u128> k = common<Lanes128, Engine<Lanes128, MontgomeryWords>>();
  k.multiply = &multiply128;
  k.multiply_add = &multiply_add128;
  k.multiply_scalar = &multiply_scalar128;
  k.decompose = &kernels::digits_of_any<Lanes128>;
  return k;
}

}  // namespace

constinit const Kernels<u32> kKernels32 = table32();
constinit const Kernels<u64> kKernels64 = table64();
constinit const Kernels<u128> kKernels128 = table128();

}  // namespace ringfort::cpu::generic
