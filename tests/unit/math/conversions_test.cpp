// SPDX-License-Identifier: Apache-2.0
// Tests the library's conversions between doubles and integers of two words, which do not branch on the value. They
// must equal the compiler's conversions, bit for bit. The tests use every exponent up to 2^126, halves and their
// neighbours, and random integers of every length.
#include "math/conversions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ringfort {
namespace {

u64 bits(double x) { return std::bit_cast<u64>(x); }

// Rounds to nearest, ties to even. Below 2^51, it uses a sum of doubles. Above, it uses integers.
i128 rounded_by_doubles(double x) {
  constexpr double kUnits = 0x1.8p52;
  if (std::abs(x) < 0x1p51) return static_cast<i64>((x + kUnits) - kUnits);
  const i128 twice = static_cast<i128>(2 * x), half = twice >> 1;
  return half + ((twice & 1) & (half & 1));
}

template <class Check>
void for_each_double(Check check) {
  std::mt19937_64 random(1);
  for (int exponent = -1074; exponent < 126; ++exponent) {
    for (const double fraction : {1.0, 1.5, 1.25, 1.75, 2 - 0x1p-52, 1 + 0x1p-52}) {
      for (const double sign : {1.0, -1.0}) check(sign * std::ldexp(fraction, exponent));
    }
  }
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 190) - 116);
    check(random() % 2 == 0 ? x : -x);
  }
  for (int i = -4000; i <= 4000; ++i) {
    for (const double x : {i / 4.0, std::nextafter(i / 4.0, 1e9), std::nextafter(i / 4.0, -1e9)}) check(x);
  }
  for (const double x :
       {0.0, -0.0, 0x1p51, 0x1p52, 0x1p53, 0x1p51 - 0.5, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p63, 0x1p64, 0x1p119}) {
    for (const double y : {x, -x, std::nextafter(x, 0), std::nextafter(x, 1e300)}) check(y);
  }
}

TEST(Conversions, ToIntegersAreTheCompilersBitForBit) {
  for_each_double([](double x) {
    ASSERT_TRUE(truncated(x) == static_cast<i128>(x)) << std::hexfloat << x;
    if (std::abs(x) < 0x1p125) { ASSERT_TRUE(to_nearest(x) == rounded_by_doubles(x)) << std::hexfloat << x; }
  });
}

TEST(Conversions, ToDoublesAreTheCompilersBitForBit) {
  std::mt19937_64 random(2);
  const auto check = [](u128 x) {
    for (const i128 value : {static_cast<i128>(x), -static_cast<i128>(x)}) {
      ASSERT_EQ(bits(to_double(value)), bits(static_cast<double>(value)))
          << static_cast<u64>(x >> 64) << ' ' << static_cast<u64>(x);
    }
  };
  check(0);
  for (u32 length = 1; length <= 127; ++length) {
    const u128 top = u128{1} << (length - 1);
    for (const u128 below :
         {u128{0}, u128{1}, top >> 1, top >> 52, top >> 53, (top >> 53) + 1, (top >> 53) - 1, top >> 54, top - 1})
      check(top | (below & (top - 1)));
    for (int i = 0; i < 500; ++i) check(top | ((static_cast<u128>(random()) << 64 | random()) & (top - 1)));
    for (int i = 0; i < 200 && length > 54; ++i) {  // tries ties, and the neighbours of ties
      const u128 tie = (top | ((static_cast<u128>(random()) << 64 | random()) & (top - 1))) >> (length - 54)
                                                                                                   << (length - 54);
      for (const u128 x : {tie, tie + 1, tie - 1}) check(x);
    }
  }
}

TEST(Conversions, ShiftsAreTheCompilers) {
  std::mt19937_64 random(3);
  for (u32 count = 0; count < 128; ++count) {
    for (int i = 0; i < 100; ++i) {
      const u128 x = static_cast<u128>(random()) << 64 | random();
      ASSERT_TRUE(conversions::shifted_left(x, count) == x << count) << count;
      ASSERT_TRUE(conversions::shifted_right(static_cast<i128>(x), count) == static_cast<i128>(x) >> count) << count;
    }
  }
}

TEST(Conversions, PowersLengthsAndExponents) {
  for (int e = -1022; e <= 1023; ++e) ASSERT_EQ(bits(power_of_two(e)), bits(std::ldexp(1, e)));
  for_each_double([](double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    if (std::abs(x) >= 0x1p-1022) ASSERT_EQ(exponent_of(x), exponent) << std::hexfloat << x;
    else ASSERT_EQ(exponent_of(x), -1022);
  });
  EXPECT_EQ(bit_length_at_least_one(0), 1u);
  for (u32 length = 1; length <= 128; ++length) ASSERT_EQ(bit_length_at_least_one(u128{1} << (length - 1) | 1), length);
}

}  // namespace
}  // namespace ringfort
