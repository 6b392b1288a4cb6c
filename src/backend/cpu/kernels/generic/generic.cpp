// SPDX-License-Identifier: Apache-2.0
// Portable kernels. They process one word at a time: u32 (q < 2^31), u64 (q < 2^62) or u128 (q < 2^127). Products with
// a constant use its companion (Factor in kernels/limb.h). Products of two u128 variables use Montgomery's reduction.
// Values are canonical after every operation. The only exceptions are transforms of u128 words with q < 2^126. Every
// instruction set uses these kernels for degrees that are too small for its vector kernels.
#include "backend/cpu/kernels/elementwise.h"
#include "backend/cpu/kernels/radix2.h"
#include "math/word.h"

namespace ringfort::cpu::generic {
namespace {

template <class W, class S>
struct ScalarLanes {
  using Word = W;
  using V = W;
  using Signed = S;
  static constexpr unsigned kLanes = 1, kMultiplierBits = 8 * sizeof(W);
  static V load(const W* p) { return *p; }
  static void store(W* p, V v) { *p = v; }
  static V broadcast(W x) { return x; }
  static V reduce(V x, V bound) { return x - (bound & (W{0} - static_cast<W>(x >= bound))); }
  static V mulhi(V a, V b) { return ringfort::mulhi<W>(a, b); }
  static V mullo(V a, V b) { return a * b; }
  static V mul32(V a, V b) { return a * b; }
  static V wrap(V v) { return v; }
  static V widen(const u32* p) { return *p; }
  static void narrow(u32* p, V v) { *p = static_cast<u32>(v); }
};
using Lanes32 = ScalarLanes<u32, std::int32_t>;
using Lanes64 = ScalarLanes<u64, i64>;
using Lanes128 = ScalarLanes<u128, i128>;

// Modular products of words. product() multiplies by a constant. multiply() multiplies two variables.
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
  template <class C>
  static Twiddle factor(const Factor<C>& f) {
    return {static_cast<Word>(f.value), static_cast<Word>(f.companion)};
  }
};

struct Montgomery128 {
  u128 q, inverse, square;

  explicit Montgomery128(const Limb<u128>& limb)
      : q(limb.q),
        inverse(limb.montgomery_inverse),
        square(limb.montgomery_square) {}
  u128 reduce(const Wide128& c) const {  // returns c 2^-128 mod q
    const u128 cancel = mulhi<u128>(c.lo * inverse, q);
    return c.hi - cancel + (q & (u128{0} - static_cast<u128>(c.hi < cancel)));
  }
  // The second product, by 2^256 mod q, cancels the two factors 2^-128.
  u128 multiply(u128 a, u128 b) const { return reduce(mul_wide<u128>(reduce(mul_wide<u128>(a, b)), square)); }
};

template <class Lanes, class Arithmetic>
struct Engine {
  using Word = typename Lanes::Word;
  using Twiddle = typename Arithmetic::Twiddle;
  std::size_t n;
  Arithmetic arithmetic;
  Twiddle scale[2], last_factor[2];  // [0] for the full inverse transform, [1] for the truncated one (radix2.h)

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

using Canonical128 = Engine<Lanes128, Shoup<Lanes128, Montgomery128>>;

// Requires q < 2^126. Values are below 4q in a forward transform, and below 2q in an inverse transform. Products are
// below 2q [Harvey14].
struct Lazy128 : Canonical128 {
  using Canonical128::Canonical128;
  // Returns x or x - bound, whichever is in [0, bound). Requires x < 2 bound <= 2^128. Therefore the sign of the
  // difference decides.
  static u128 reduce(u128 x, u128 bound) {
    const u128 difference = x - bound;
    return difference + (bound & static_cast<u128>(static_cast<i128>(difference) >> 127));
  }
  // Returns floor(a b / 2^128). Takes fewer additions than mulhi().
  static u128 upper_word(u128 a, u128 b) {
    const u64 a0 = static_cast<u64>(a), a1 = static_cast<u64>(a >> 64);
    const u64 b0 = static_cast<u64>(b), b1 = static_cast<u64>(b >> 64);
    const u128 low = u128{a0} * b0, first = u128{a0} * b1 + (low >> 64);
    const u128 second = u128{a1} * b0 + static_cast<u64>(first);
    return u128{a1} * b1 + (first >> 64) + (second >> 64);
  }
  u128 lazy_product(u128 b, const Twiddle& w) const { return b * w.value - upper_word(b, w.companion) * arithmetic.q; }
  u128 finish(u128 v) const { return reduce(reduce(v, 2 * arithmetic.q), arithmetic.q); }
  void ct(u128& a, u128& b, const Twiddle& w) const {
    const u128 first = reduce(a, 2 * arithmetic.q), second = lazy_product(b, w);
    a = first + second;
    b = first + (2 * arithmetic.q - second);
  }
  void gs(u128& a, u128& b, const Twiddle& w) const {
    const u128 difference = a + (2 * arithmetic.q - b);
    a = reduce(a + b, 2 * arithmetic.q);
    b = lazy_product(difference, w);
  }
  void gs_last(u128& a, u128& b, bool truncated) const {
    const u128 difference = a + (2 * arithmetic.q - b);
    a = product(a + b, scale[truncated]);
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
  const Montgomery128 m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = m.multiply(a[i], b[i]);
}

void multiply_add128(const Limb<u128>& limb, u128* out, const u128* a, const u128* b, std::size_t n) {
  const Montgomery128 m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = Lanes128::reduce(out[i] + m.multiply(a[i], b[i]), m.q);
}

void multiply_scalar128(const Limb<u128>& limb, u128* out, const u128* a, const Factor<u128>& scalar, std::size_t n) {
  const Shoup<Lanes128, Montgomery128> m(limb);
  for (std::size_t i = 0; i < n; ++i) out[i] = m.product(a[i], scalar);
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
  k.multiply_scalar = &kernels::multiply_scalar32<kernels::Multiplier32<Lanes64>>;
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

template <class E>
constexpr Kernels<u128> table128() {
  Kernels<u128> k = common<Lanes128, E>();
  k.multiply = &multiply128;
  k.multiply_add = &multiply_add128;
  k.multiply_scalar = &multiply_scalar128;
  k.decompose = &kernels::digits_of_any<Lanes128>;
  return k;
}

}  // namespace

constinit const Kernels<u32> kKernels32 = table32();
constinit const Kernels<u64> kKernels64 = table64();
constinit const Kernels<u128> kKernels128 = table128<Canonical128>();
constinit const Kernels<u128> kLazy128 = table128<Lazy128>();

}  // namespace ringfort::cpu::generic
