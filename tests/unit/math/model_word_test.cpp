// SPDX-License-Identifier: Apache-2.0
// Compares the word templates of the library with plain integers. Most of them are reductions modulo q. Barrett's
// reductions multiply by a precomputed reciprocal `mu` of q, and then correct the result: they subtract q while it is
// too large. With words of 8 bits, the tests try every modulus and every input that a function accepts. With words of
// 10 bits, some of them try only a sample of the moduli.
#include <gtest/gtest.h>

#include <string>

#include "math/divisor.h"
#include "math/reduction_barrett.h"
#include "math/reduction_montgomery.h"
#include "math/reduction_shoup.h"
#include "math/reduction_special.h"
#include "support/model_word.h"

namespace ringfort {
namespace {

using testing::ModelWord;
using Word8 = ModelWord<8>;
using Word10 = ModelWord<10>;

template <class W>
class ModelWords : public ::testing::Test {};
using Models = ::testing::Types<Word8, Word10>;
TYPED_TEST_SUITE(ModelWords, Models);

template <class W>
std::string at(u32 q, u32 x, u32 y = 0) {
  return std::to_string(kWordBits<W>) + "-bit word, q=" + std::to_string(q) + " x=" + std::to_string(x) +
         " y=" + std::to_string(y);
}

template <class W>
constexpr u32 kEnd = 1u << kWordBits<W>;

TYPED_TEST(ModelWords, HighProductIsThatOfIntegers) {
  using W = TypeParam;
  for (u32 a = 0; a < kEnd<W>; ++a) {
    for (u32 b = 0; b < kEnd<W>; ++b) {
      ASSERT_EQ(mulhi(W(a), W(b)).value(), a * b >> kWordBits<W>) << at<W>(0, a, b);
      ASSERT_EQ(mullo(W(a), W(b)).value(), a * b & (kEnd<W> - 1)) << at<W>(0, a, b);
    }
  }
}

// The moduli include those that use all bits of the word, for which sums wrap around. With 8 bits the test tries every
// modulus, and with 10 bits every 31st modulus.
TYPED_TEST(ModelWords, SumsDifferencesAndProductsAreThoseOfIntegers) {
  using W = TypeParam;
  for (u32 q = 1; q < kEnd<W>; q += kWordBits<W> == 8 ? 1 : 31) {
    for (u32 a = 0; a < q; ++a) {
      ASSERT_EQ(negate_mod(W(a), W(q)).value(), (q - a) % q) << at<W>(q, a);
      for (u32 b = 0; b < q; ++b) {
        ASSERT_EQ(add_mod(W(a), W(b), W(q)).value(), (a + b) % q) << at<W>(q, a, b);
        ASSERT_EQ(subtract_mod(W(a), W(b), W(q)).value(), (a + q - b) % q) << at<W>(q, a, b);
      }
    }
  }
}

TEST(Word8, EveryProductIsThatOfIntegers) {
  for (u32 q = 1; q < 256; ++q) {
    for (u32 a = 0; a < q; ++a) {
      for (u32 b = a; b < q; ++b)
        ASSERT_EQ(mul_mod(Word8(a), Word8(b), Word8(q)).value(), a * b % q) << at<Word8>(q, a, b);
    }
  }
}

TEST(Word8, EveryDivisionIsThatOfIntegers) {
  for (u32 q = 1; q < 256; ++q) {
    for (u32 x = 0; x < q << 8; ++x) {
      const auto result = divide_wide(Word8(x >> 8), Word8(x), Word8(q));
      ASSERT_EQ(result.quotient.value(), x / q) << at<Word8>(q, x);
      ASSERT_EQ(result.remainder.value(), x % q) << at<Word8>(q, x);
    }
  }
}

TYPED_TEST(ModelWords, EveryQuotientByAReciprocalIsThatOfIntegers) {
  using W = TypeParam;
  for (u32 d = 1; d <= kEnd<W> / 2; ++d) {
    const Divisor<W> by(static_cast<W>(d));
    for (u32 x = 0; x < kEnd<W>; ++x) ASSERT_EQ(by.quotient(W(x)).value(), x / d) << at<W>(d, x);
  }
}

TYPED_TEST(ModelWords, EveryPowerQuotientSaysWhetherItFits) {
  using W = TypeParam;
  for (u32 q = 1; q < kEnd<W>; ++q) {
    for (u32 exponent = 0; exponent < 2 * kWordBits<W>; ++exponent) {
      const u32 expected = (1u << exponent) / q;
      const auto quotient = power_quotient<W>(exponent, W(q));
      ASSERT_EQ(quotient.fits, expected < kEnd<W>) << at<W>(q, exponent);
      ASSERT_EQ(quotient.value.value(), quotient.fits ? expected : 0u) << at<W>(q, exponent);
    }
  }
}

// Reduces every x < 2^(2m) for every accepted modulus, where m is the length of the modulus. Compares the residues.
// Returns the largest number of corrections.
template <class Reduction, class W>
u32 most_corrections_over_all_inputs() {
  u32 most = 0;
  for (u32 q = 0; q < kEnd<W>; ++q) {
    if (!Reduction::accepts(W(q))) continue;
    const Reduction reduction{W(q)};
    for (u32 x = 0; x < 1u << (2 * bit_length(q)); ++x) {
      const u32 residue = reduction.reduce(x).value();
      if (residue != x % q) {
        ADD_FAILURE() << Reduction::kName << " gives " << residue << ", " << at<W>(q, x);
        return most;
      }
      most = std::max(most, reduction.corrections(x));
    }
  }
  return most;
}

TEST(Word8, EveryBuiltinRemainderIsRight) {
  EXPECT_EQ((most_corrections_over_all_inputs<BuiltinRemainder<Word8>, Word8>()), 0u);
}

TYPED_TEST(ModelWords, EveryClassicalBarrettNeedsAtMostTwoCorrectionsAndSomeNeedTwo) {
  using W = TypeParam;
  EXPECT_EQ((most_corrections_over_all_inputs<ClassicalBarrett<W>, W>()), 2u);
}

TYPED_TEST(ModelWords, EveryDhemQuisquaterNeedsAtMostOneCorrection) {
  using W = TypeParam;
  EXPECT_EQ((most_corrections_over_all_inputs<DhemQuisquater<W>, W>()), 1u);
}

TYPED_TEST(ModelWords, EveryProposedBarrettNeedsAtMostOneCorrection) {
  using W = TypeParam;
  EXPECT_EQ((most_corrections_over_all_inputs<ProposedBarrett<W>, W>()), 1u);
}

// Checks the limit of a reduction. Moduli of 2 .. kMaxBits bits must be accepted, except the power of two for which mu
// is longer than a word. All other moduli are refused.
template <class Reduction, class W>
void expect_limit(bool longest_power_of_two_fits) {
  for (u32 q = 0; q < kEnd<W>; ++q) {
    const u32 bits = bit_length(q);
    const bool exception = !longest_power_of_two_fits && q == 1u << (Reduction::kMaxBits - 1);
    const bool expected = bits >= 2 && bits <= Reduction::kMaxBits && !exception;
    EXPECT_EQ(Reduction::accepts(W(q)), expected) << Reduction::kName << ", " << at<W>(q, 0);
    EXPECT_EQ((make_reduction<Reduction, W>(W(q)).ok()), expected) << Reduction::kName << ", " << at<W>(q, 0);
  }
}

TYPED_TEST(ModelWords, EachBarrettTakesWhatItSaysAndRefusesOneAbove) {
  using W = TypeParam;
  expect_limit<ClassicalBarrett<W>, W>(true);
  expect_limit<DhemQuisquater<W>, W>(false);
  expect_limit<ProposedBarrett<W>, W>(false);
}

// Returns the reason for the limit of kMaxBits bits. For moduli with one bit more, either mu does not fit into the
// word, or some result is wrong.
template <class Reduction, class W>
std::string why_it_stops(u32 mu_extra) {
  const u32 bits = Reduction::kMaxBits + 1;
  bool all_mu_fit = true;
  for (u32 q = (1u << (bits - 1)) + 1; q < 1u << bits; ++q) {
    if (!power_quotient<W>(2 * bits + mu_extra, W(q)).fits) {
      all_mu_fit = false;
      continue;
    }
    const Reduction reduction{W(q)};
    for (u32 x = 0; x < 1u << (2 * bits); ++x) {
      if (reduction.reduce(x).value() != x % q) return "wrong residue";
    }
  }
  return all_mu_fit ? "none" : "mu too long";
}

TYPED_TEST(ModelWords, TheLimitsOfTheBarrettsAreTight) {
  using W = TypeParam;
  EXPECT_EQ((why_it_stops<ClassicalBarrett<W>, W>(0)), "wrong residue");
  EXPECT_EQ((why_it_stops<DhemQuisquater<W>, W>(3)), "mu too long");
  EXPECT_EQ((why_it_stops<ProposedBarrett<W>, W>(1)), "mu too long");
}

TYPED_TEST(ModelWords, BaselineAdditionIsRightUpToItsLimitAndWrongAbove) {
  using W = TypeParam;
  using Addition = BaselineAddition<W>;
  for (u32 q = 1; q < kEnd<W>; ++q) {
    if (!Addition::accepts(W(q))) continue;
    const Addition addition{W(q)};
    for (u32 a = 0; a < q; ++a) {
      for (u32 b = a; b < q; ++b) ASSERT_EQ(addition.add(W(a), W(b)).value(), (a + b) % q) << at<W>(q, a, b);
    }
  }
  const u32 longest = (1u << Addition::kMaxBits) - 1, above = kEnd<W> - 1;
  EXPECT_TRUE(Addition::accepts(W(longest)));
  EXPECT_FALSE(Addition::accepts(W(longest + 1)));
  EXPECT_NE(Addition{W(above)}.add(W(above - 1), W(above - 1)).value(), (2 * above - 2) % above);
}

TYPED_TEST(ModelWords, EveryUpperBarrettProductIsRight) {
  using W = TypeParam;
  for (u32 q = 2; UpperBarrett<W>::accepts(W(q)); ++q) {
    const UpperBarrett<W> barrett{W(q)};
    for (u32 a = 0; a < q; ++a) {
      for (u32 b = 0; b < q; ++b) ASSERT_EQ(barrett.multiply(W(a), W(b)).value(), a * b % q) << at<W>(q, a, b);
    }
  }
}

// With 8 bits, the test tries every modulus, every factor and every word. With 10 bits, it tries every third modulus,
// every seventh factor and every word.
TYPED_TEST(ModelWords, EveryShoupProductIsRight) {
  using W = TypeParam;
  for (u32 q = 2; q < kEnd<W> / 2; q += kWordBits<W> == 8 ? 1 : 3) {
    ASSERT_TRUE(Shoup<W>::accepts(W(q)));
    const Shoup<W> shoup{W(q)};
    for (u32 value = 0; value < q; value += kWordBits<W> == 8 ? 1 : 7) {
      const auto factor = shoup.factor(W(value));
      for (u32 x = 0; x < kEnd<W>; ++x) {
        ASSERT_LT(shoup_multiply_lazy2(W(x), factor, W(q)).value(), 2 * q) << at<W>(q, x, value);
        ASSERT_EQ(shoup.multiply(W(x), factor).value(), x * value % q) << at<W>(q, x, value);
      }
    }
  }
  EXPECT_FALSE(Shoup<W>::accepts(W(kEnd<W> / 2)));
}

TYPED_TEST(ModelWords, EveryMontgomeryReductionOfEveryOddModulusIsRight) {
  using W = TypeParam;
  for (u32 q = 3; q < kEnd<W>; q += kWordBits<W> == 8 ? 2 : 14) {
    ASSERT_TRUE(Montgomery<W>::accepts(W(q)));
    const Montgomery<W> montgomery{W(q)};
    ASSERT_EQ(montgomery.one().value(), kEnd<W> % q) << at<W>(q, 0);
    for (u32 x = 0; x < q << kWordBits<W>; ++x) {
      const u32 residue = montgomery.reduce(W(x >> kWordBits<W>), W(x)).value();
      ASSERT_LT(residue, q) << at<W>(q, x);
      ASSERT_EQ(residue * kEnd<W> % q, x % q) << at<W>(q, x);
    }
    for (u32 a = 0; a < kEnd<W>; ++a) {
      ASSERT_EQ(montgomery.from_form(montgomery.to_form(W(a))).value(), a % q) << at<W>(q, a);
    }
  }
  EXPECT_FALSE(Montgomery<W>::accepts(W(kEnd<W> - 2)));
  EXPECT_FALSE(Montgomery<W>::accepts(W(1)));
}

template <class W, u32 A, u32 B>
void expect_special_form() {
  using Reduction = SpecialForm<W, A, B>;
  const u32 q = Reduction::kModulus.value();
  ASSERT_EQ(q, (1u << A) - (1u << B) + 1);
  const Reduction reduction{W(q)};
  for (u32 x = 0; x < 1u << (2 * A); ++x) ASSERT_EQ(reduction.reduce(x).value(), x % q) << at<W>(q, x);
  EXPECT_FALSE(Reduction::accepts(W(q + 1)));
}

TEST(Word8, EverySpecialFormIsRight) {
  expect_special_form<Word8, 7, 1>();
  expect_special_form<Word8, 7, 2>();
  expect_special_form<Word8, 7, 3>();
  expect_special_form<Word8, 7, 4>();
  expect_special_form<Word8, 7, 5>();
  expect_special_form<Word8, 7, 6>();
  expect_special_form<Word8, 5, 3>();
}

TEST(Word10, EverySpecialFormIsRight) {
  expect_special_form<Word10, 9, 1>();
  expect_special_form<Word10, 9, 3>();
  expect_special_form<Word10, 9, 5>();
  expect_special_form<Word10, 9, 7>();
  expect_special_form<Word10, 9, 8>();
}

}  // namespace
}  // namespace ringfort
