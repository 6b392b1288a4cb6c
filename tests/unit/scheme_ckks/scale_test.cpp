// SPDX-License-Identifier: Apache-2.0
// Compares scales, each stored as the sum of two doubles, with integers of 128 bits. With one double, rounding would
// exceed the noise of a ciphertext in some cases. With two doubles, the stated precision must hold even in these cases.
#include "scheme/ckks/scale.h"

#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

u64 some_integer(std::mt19937_64& generator) { return (generator() >> (2 + generator() % 60)) | 1; }

TEST(Scales, ProductsAreThoseOfIntegersToASixteenthOfTheStatedRounding) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 100000; ++i) {
    const u64 a = some_integer(generator), b = some_integer(generator);
    const Scale found = exact_scale(a) * exact_scale(b);
    const i128 exact = static_cast<i128>(u128{a} * b),
               off = static_cast<i128>(found.high) + static_cast<i128>(found.low) - exact;
    ASSERT_LE(off < 0 ? -off : off, (exact >> 102) + 1) << a << " * " << b;  // + 1: the shift truncates
    ASSERT_LE(std::abs(found.low), std::ldexp(found.high, -53));
  }
}

TEST(Scales, AQuotientTimesItsDivisorIsTheDividend) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 100000; ++i) {
    const Scale a = exact_scale(some_integer(generator)) * exact_scale(some_integer(generator)),
                b = exact_scale(some_integer(generator));
    ASSERT_LE(distance(a / b * b, a), a.high * kScaleRounding / 8);
  }
}

TEST(Scales, AnIntegerIsExact) {
  for (const u64 q : {u64{3}, (u64{1} << 53) + 1, (u64{1} << 62) - 57, (u64{1} << 63) - 25}) {
    const Scale s = exact_scale(q);
    EXPECT_TRUE(static_cast<i128>(s.high) + static_cast<i128>(s.low) == static_cast<i128>(q));
  }
}

// Squares a vector of ones ten times, at a scale of 2^90. The noise is below 2^-70. Therefore the error of 2^10
// roundings of a double, about 2^-43, would be visible.
TEST(CkksBound, HoldsAfterTenSquaringsAtAScaleAboveThePrecisionOfDoubles) {
  testing::choose_seed(90);
  testing::Shape shape;
  shape.levels = 10;
  shape.bits = 45;
  shape.first_bits = shape.special_bits = 50;
  shape.limbs_per_level = shape.digit_limbs = shape.special = 2;
  const testing::Client client(testing::parameters_of(shape), "", {});
  const testing::Values ones(32, 1.0);
  Ciphertext power = client.encrypt(ones);
  for (u32 depth = 0; depth <= shape.levels; ++depth) {
    if (depth > 0) power = client.automatic.square(power);
    const double found = testing::largest_difference(client.decrypt(power), ones);
    EXPECT_LE(found, testing::claimed_error(client, power)) << "after " << depth << " squarings";
    EXPECT_LE(found, std::exp2(-client.encoder.decoded_precision_bits(power) - 1));
  }
  EXPECT_GT(power.precision_bits(), 50);
}

}  // namespace
}  // namespace ringfort::ckks
