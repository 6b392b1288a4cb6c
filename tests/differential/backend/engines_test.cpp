// SPDX-License-Identifier: Apache-2.0
// Runs the engines of kernels/engines.h on a model of a word, with 10 bits instead of 64. The tests compare residues,
// ranges and quotients with integers.
#include <gtest/gtest.h>

#include "backend/cpu/kernels/engines.h"
#include "backend/cpu/kernels/emulate.h"
#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

constexpr unsigned kBits = 10, kWords = 1u << kBits;

// A word of kBits bits. It has two halves, like the halves of 32 bits of a real word.
struct Short {
  u64 value = 0;
  friend Short operator+(Short a, Short b) { return {(a.value + b.value) % kWords}; }
  friend Short operator-(Short a, Short b) { return {(a.value - b.value) % kWords}; }
  friend Short operator>>(Short a, int bits) { return {a.value >> (bits == 32 ? kBits / 2 : 0)}; }
};

struct Shorts {
  using Word = u64;
  using V = Short;
  static constexpr unsigned kLanes = 1, kLogLanes = 0;
  static V broadcast(u64 x) { return {x % kWords}; }
  static V reduce(V x, V bound) { return x.value >= bound.value ? x - bound : x; }
  static V mul32(V a, V b) { return {(a.value % 32) * (b.value % 32)}; }
  static V mulhi(V a, V b) { return {a.value * b.value / kWords}; }
  static V mulhi_near(V a, V b, V b1) { return cpu::kernels::mulhi64_near<Shorts>(a, b, b1); }
  static V difference_of_products(V a, V b, V c, V d) {
    return V{a.value * b.value % kWords} - V{c.value * d.value % kWords};
  }
  static V odd_words(V v) { return v >> 32; }
};

template <template <class> class Engine>
struct Model {
  using E = Engine<Shorts>;
  u64 q;
  E e;
  explicit Model(u64 modulus) : q(modulus), e(limb(modulus)) {}
  static cpu::Limb<u64> limb(u64 modulus) {
    cpu::Limb<u64> limb;
    limb.q = modulus;
    return limb;
  }
  typename E::Twiddle factor(u64 w) const { return E::Twiddle::of({w}, {w * kWords / q}); }
  u64 limit() const { return e.limit.value; }

  // Counts the products of w and any word that are wrong or outside their range.
  u64 wrong_products(u64 w) const {
    u64 wrong = 0;
    for (u64 b = 0; b < kWords; ++b) {
      const u64 lazy = e.lazy_product({b}, factor(w)).value;
      wrong += lazy >= limit() || lazy % q != b * w % q || e.product({b}, factor(w)).value != b * w % q;
    }
    return wrong;
  }
  // Returns the number of butterflies that are wrong or outside their range. It tries all operands that earlier
  // butterflies may leave, and all canonical operands.
  u64 wrong_butterflies(u64 w) const {
    u64 wrong = 0;
    for (u64 a = 0; a < 2 * limit(); ++a) {
      for (u64 b = 0; b < 2 * limit(); ++b) {
        wrong += wrong_forward<false>(a, b, w);
        if (a < q) wrong += wrong_forward<true>(a, b, w);
        if (a < limit() && b < limit()) wrong += wrong_inverse<false>(a, b, w);
        if (a < q && b < q) wrong += wrong_inverse<true>(a, b, w);
      }
      wrong += e.finish({a}).value != a % q;
    }
    return wrong;
  }
  template <bool kCanonical>
  bool wrong_forward(u64 a, u64 b, u64 w) const {
    Short x{a}, y{b};
    e.template ct<kCanonical, 0>(x, y, factor(w), true);
    return x.value >= 2 * limit() || y.value >= 2 * limit() || x.value % q != (a + b * w) % q ||
           (y.value + b * w) % q != a % q;
  }
  template <bool kCanonical>
  bool wrong_inverse(u64 a, u64 b, u64 w) const {
    Short x{a}, y{b};
    e.template gs<kCanonical, 0, 1>(x, y, factor(w), e.limit, true);
    return x.value >= limit() || y.value >= limit() || x.value % q != (a + b) % q || (y.value + b * w) % q != a * w % q;
  }
};

// Tries all factors in products, and some factors in butterflies.
template <template <class> class Engine>
void expect_exact(u64 q) {
  const Model<Engine> model(q);
  for (u64 w = 0; w < q; ++w) ASSERT_EQ(model.wrong_products(w), 0u) << w << " modulo " << q;
  for (const u64 w : {u64{0}, u64{1}, q / 3, q / 2 + 1, q - 1})
    ASSERT_EQ(model.wrong_butterflies(w), 0u) << w << " modulo " << q;
}

TEST(Engines, LazyButterfliesStayInTheirRange) {
  for (const u64 q : {255, 253, 251, 193, 129, 17, 5}) expect_exact<cpu::kernels::Lazy>(q);
}

TEST(Engines, NearButterfliesStayInTheirRange) {
  for (const u64 q : {127, 125, 113, 97, 65, 17, 5}) expect_exact<cpu::kernels::Near>(q);
}

TEST(Engines, NearQuotientsAreUpToTwoTooSmall) {
  std::array<u64, 4> seen{};
  for (u64 a = 0; a < kWords; ++a) {
    for (u64 b = 0; b < kWords; ++b) {
      const u64 less = a * b / kWords - Shorts::mulhi_near({a}, {b}, {b / 32}).value;
      ASSERT_LE(less, 2u) << a << " times " << b;
      ++seen[less];
    }
  }
  EXPECT_GT(seen[0] * seen[1] * seen[2], 0u);
}

}  // namespace
}  // namespace ringfort::testing
