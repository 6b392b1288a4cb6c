// SPDX-License-Identifier: Apache-2.0
// Runs the engines of kernels/engines.h (kinds of modular products and butterflies) on a model of a word, with 10 bits
// instead of 64. Runs the engine of kernels/fermat.h on a word of 16 bits instead of 32. The tests compare residues,
// ranges and quotients with integers.
#include <gtest/gtest.h>

#include "backend/cpu/kernels/engines.h"
#include "backend/cpu/kernels/fermat.h"
#include "backend/cpu/kernels/emulate.h"
#include "differential/backend/cases.h"

namespace ringfort::testing::engines_test {
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

// A signed word of 16 bits with two halves of 8 bits: q = 2^8 + 1.
struct Signed {
  std::int16_t value = 0;
  static Signed of(int x) { return {static_cast<std::int16_t>(x)}; }
  friend Signed operator+(Signed a, Signed b) { return of(a.value + b.value); }
  friend Signed operator-(Signed a, Signed b) { return of(a.value - b.value); }
  friend Signed operator^(Signed a, Signed b) { return of(a.value ^ b.value); }
};

struct SignedLanes {
  using Word = std::uint16_t;
  using V = Signed;
  static constexpr unsigned kLanes = 1, kLogLanes = 0;
  static V broadcast(Word x) { return Signed::of(x); }
  static V mullo(V a, V b) { return Signed::of(a.value * b.value); }
  static V reduce(V x, V bound) {
    const Word word = static_cast<Word>(x.value), limit = static_cast<Word>(bound.value);
    return word >= limit ? x - bound : x;
  }
  static V dot_halves(V a, V b) {
    const auto low = [](V v) { return static_cast<std::int8_t>(v.value & 255); };
    return Signed::of(low(a) * low(b) + (a.value >> 8) * (b.value >> 8));
  }
};

struct FermatModel {
  using E = cpu::kernels::Fermat<SignedLanes>;
  static constexpr int kPrime = 257;
  // kernels/fermat.h gives these bounds as 2^14 q + 1 and 2^20 for words of 32 bits
  static constexpr int kMostInverse = 64 * kPrime + 1, kMostForward = 1 << 12;
  E e{[] {
    cpu::Limb<std::uint16_t> limb;
    limb.q = kPrime;
    return limb;
  }()};

  static E::Twiddle twiddle(int w) { return E::Twiddle::of(Signed::of(w), {}); }
  static bool equal(int a, int b) { return (a - b) % kPrime == 0; }

  void expect_exact_products(int w) const {
    for (int b = -kMostInverse; b <= kMostInverse; ++b) {
      const int r = e.lazy_product(Signed::of(b), twiddle(w)).value;
      ASSERT_TRUE(equal(r, b * w) && std::abs(r) < kPrime) << b << " times " << w;
      ASSERT_LE(std::abs(r), (std::abs(b) < kMostForward ? 0.79 : 1) * kPrime) << b << " times " << w;
      ASSERT_EQ(e.product(Signed::of(b), twiddle(w)).value, ((b * w) % kPrime + kPrime) % kPrime);
    }
  }
  // Butterflies of the first stage do not fold their operands. In a forward transform, the twiddle is a square root of
  // -1, and the second operand is below 2q. In an inverse transform, the twiddle is neither 2^7 nor -2^7.
  void expect_exact_first_butterflies() const {
    for (int a = 0; a < kPrime; ++a) {
      for (int b = 0; b < 2 * kPrime; ++b) {
        for (const int w : {16, -16}) {
          Signed x = Signed::of(a), y = Signed::of(b);
          e.ct<true, 0>(x, y, twiddle(w), true);
          ASSERT_TRUE(equal(x.value, a + b * w) && equal(y.value, a - b * w)) << a << " " << b << " " << w;
        }
      }
      for (int b = 0; b < kPrime; ++b) {
        for (const int w : {127, -127, 126, -126, 1, -1, 0}) {
          Signed x = Signed::of(a), y = Signed::of(b);
          e.gs<true, 0, 1>(x, y, twiddle(w), {}, true);
          ASSERT_TRUE(equal(x.value, a + b) && equal(y.value, (a - b) * w)) << a << " " << b << " " << w;
          ASSERT_TRUE(std::abs(x.value) <= kPrime && std::abs(y.value) < kPrime) << a << " " << b << " " << w;
        }
      }
    }
  }
};

TEST(Engines, FermatProductsAreExact_AllOperandsOfAModel) {
  const FermatModel model;
  for (int w = -128; w <= 128; ++w) model.expect_exact_products(w);
  model.expect_exact_first_butterflies();
  for (int v = -FermatModel::kMostForward; v < FermatModel::kMostForward; ++v) {
    ASSERT_EQ(model.e.finish(Signed::of(v)).value,
              (v % FermatModel::kPrime + FermatModel::kPrime) % FermatModel::kPrime);
  }
}

// Checks the premises of expect_exact_first_butterflies() about twiddles for the prime 65537 and every degree.
TEST(Engines, FirstTwiddlesModulo65537LeaveRoomInALane) {
  for (u32 n = 32; n <= 32768; n *= 2) {
    const u64 q = 65537, psi = static_cast<u64>(minimal_root(q, n).value());
    u64 power = 1;
    for (u32 k = 0; k < n; ++k, power = power * psi % q) {
      ASSERT_EQ(k == n / 2, power == 256 || power == q - 256) << n << " " << k;
      // odd powers are the twiddles of the first inverse stage, up to signs
      ASSERT_FALSE(k % 2 == 1 && (power == 32768 || power == q - 32768)) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace ringfort::testing::engines_test
