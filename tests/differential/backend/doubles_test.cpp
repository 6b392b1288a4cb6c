// SPDX-License-Identifier: Apache-2.0
// Runs the arithmetic of kernels/doubles.h on a model of a double, whose precision is 11 bits instead of 53. The tests
// compare products of all operands, and sums of extreme and random terms, with integers.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/kernels/doubles_sums.h"
#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

constexpr int kBits = 11;

// A number with a precision of kBits bits. The result of every operation is rounded to the nearest number of this
// precision, ties to even.
struct Short {
  double value = 0;
  Short() = default;
  Short(double exact) {  // NOLINT: converts as double does
    int exponent = 0;
    std::frexp(exact, &exponent);
    value = std::ldexp(std::nearbyint(std::ldexp(exact, kBits - exponent)), exponent - kBits);
  }
  friend Short operator+(Short a, Short b) { return a.value + b.value; }
  friend Short operator-(Short a, Short b) { return a.value - b.value; }
  friend Short operator*(Short a, Short b) { return a.value * b.value; }
  friend bool operator<(Short a, double b) { return a.value < b; }
  Short& operator+=(Short b) { return *this = *this + b; }
};

struct Shorts {
  using Word = double;
  using V = Short;
  struct Words {
    using V = u64;
  };
  static constexpr int kPrecision = kBits;
  static constexpr unsigned kLanes = 1, kLogLanes = 0;
  static V broadcast(double x) { return x; }
  static V multiply_add(V a, V b, V c) { return a.value * b.value + c.value; }
  static V multiply_subtract(V a, V b, V c) { return a.value * b.value - c.value; }
  static V subtract_product(V c, V a, V b) { return c.value - a.value * b.value; }
};

cpu::Limb<u64> limb_of(i64 q) {
  cpu::Limb<u64> limb;
  limb.q = static_cast<u64>(q);
  return limb;
}

// With kTight, q is below 2^(kBits - 3). Without kTight, q is below 2^(kBits - 5). The largest q leave the least
// margin.
template <bool kTight>
std::vector<i64> moduli() {
  if (kTight) return {255, 251, 241, 239, 193, 129, 127, 65, 17, 5};
  return {63, 61, 59, 53, 33, 31, 17, 5};
}

bool is_residue(Short r, i64 value, i64 q) {
  const i64 whole = static_cast<i64>(r.value);
  return static_cast<double>(whole) == r.value && (whole - value) % q == 0;
}

template <bool kTight>
void expect_exact_products() {
  using E = cpu::kernels::Centred<Shorts, kTight>;
  for (const i64 q : moduli<kTight>()) {
    const E e(limb_of(q));
    const double most = cpu::kernels::DoubleBounds<kTight>::kMost, unit = std::ldexp(1, -(kBits + 2));
    const i64 limit = static_cast<i64>(most * std::ldexp(1, kTight ? kBits - 3 : kBits - 5));
    for (i64 w = 0; w < q; ++w) {
      const auto factor = cpu::kernels::doubles_of<Shorts>(static_cast<u64>(w), e.tables.q);
      for (i64 a = -limit; a <= limit; ++a) {
        const Short r = e.lazy_product(static_cast<double>(a), factor);
        const double bound = static_cast<double>(q) * (0.5 + static_cast<double>(std::abs(a)) * unit);
        ASSERT_TRUE(is_residue(r, a * w, q) && std::fabs(r.value) <= bound) << a << " times " << w << " modulo " << q;
        ASSERT_EQ(static_cast<i64>(e.product(static_cast<double>(a), factor).value), ((a * w) % q + q) % q);
      }
    }
    for (i64 a = -2 * limit; a <= 2 * limit; ++a)
      ASSERT_EQ(static_cast<i64>(e.finish(static_cast<double>(a)).value), (a % q + q) % q) << a << " modulo " << q;
  }
}

template <bool kTight>
void expect_exact_products_of_two_variables() {
  const i64 q = moduli<kTight>()[0];
  const cpu::kernels::Centred<Shorts, kTight> e(limb_of(q));
  for (i64 a = 0; a < q; ++a) {
    for (i64 b = -3 * q / 2; b <= 3 * q / 2; ++b) {
      const Short r = e.variable_product(static_cast<double>(a), static_cast<double>(b));
      ASSERT_TRUE(is_residue(r, a * b, q) && std::fabs(r.value) < static_cast<double>(q)) << a << " times " << b;
    }
  }
}

// Tries extreme terms in all positions, random terms, and sums whose first terms are words.
template <bool kTight>
void expect_exact_sums() {
  using S = cpu::kernels::DoubleSums<Shorts, kTight>;
  std::mt19937_64 random(7);
  for (const i64 q : moduli<kTight>()) {
    const typename S::Constants c(limb_of(q));
    for (u32 trial = 0; trial < 20000; ++trial) {
      const i64 start = trial % 3 == 0 ? q - 1 : static_cast<i64>(random() % static_cast<u64>(q));
      i64 expected = start;
      auto sum = c.begin(static_cast<double>(start));
      for (u32 k = 0; k < S::kTerms; ++k) {
        const bool extreme = trial % 4 == 0;
        const i64 a =
            extreme ? (trial % 8 == 0 ? q / 2 : -(q / 2)) : static_cast<i64>(random() % static_cast<u64>(q)) - q / 2;
        const i64 b = extreme ? q - 1 : static_cast<i64>(random() % static_cast<u64>(q));
        c.add(sum, static_cast<double>(a), static_cast<double>(b));
        expected += a * b;
      }
      const Short r = c.residue(sum);
      ASSERT_TRUE(is_residue(r, expected, q) && std::fabs(r.value) < static_cast<double>(q))
          << q << ", trial " << trial;
    }
  }
}

TEST(Doubles, ProductsWithConstantsAreExact_AllOperandsOfAModel) {
  expect_exact_products<true>();
  expect_exact_products<false>();
}

TEST(Doubles, ProductsOfVariablesAreExact_AllOperandsOfAModel) {
  expect_exact_products_of_two_variables<true>();
  expect_exact_products_of_two_variables<false>();
}

TEST(Doubles, SumsOfProductsAreExact_ExtremeTermsOfAModel) {
  expect_exact_sums<true>();
  expect_exact_sums<false>();
}

}  // namespace
}  // namespace ringfort::testing
