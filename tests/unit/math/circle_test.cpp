// SPDX-License-Identifier: Apache-2.0
// Compares points of the unit circle with the output of tools/gen_ckks_vectors. That tool computes points to 60 decimal
// digits. The test compares all doubles with these points by a digest. It compares samples of doubles and of
// fixed-point values one by one. The tool also has the fixed-point algorithm in Python. The test compares all
// fixed-point values with this algorithm by a digest.
#include "math/circle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/digest.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

double parse(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

i128 distance(i128 x, const std::string& decimal) {
  const i128 expected = decimal[0] == '-' ? -static_cast<i128>(testing::parse_decimal(decimal.substr(1)))
                                          : static_cast<i128>(testing::parse_decimal(decimal));
  return x > expected ? x - expected : expected - x;
}

TEST(Circle, EveryPointIsTheCorrectlyRoundedOne) {
  const auto rows = testing::read_vectors("ckks_encode.json")["circle"];
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    const u32 order = row["order"];
    const Circle circle(order);
    for (const auto& sample : row["samples"]) {
      const CirclePoint<double> p = circle.point(sample[0]);
      EXPECT_EQ(p.x, parse(sample[1])) << order << " " << sample[0];
      EXPECT_EQ(p.y, parse(sample[2])) << order << " " << sample[0];
      EXPECT_LE(distance(circle.fixed_point(sample[0]).x, sample[3]), i128{1} << 26)
          << order << " " << sample[0] << ": error above 2^-100";
      EXPECT_LE(distance(circle.fixed_point(sample[0]).y, sample[4]), i128{1} << 26) << order << " " << sample[0];
    }
    std::vector<double> all;
    for (u32 k = 0; k < order; ++k) {
      all.push_back(circle.point(k).x + 0.0);  // makes +0 of -0
      all.push_back(circle.point(k).y + 0.0);
    }
    EXPECT_EQ(testing::blake2b_text(all), row["blake2b"].get<std::string>()) << order;
    std::vector<i128> fixed;
    for (u32 k = 0; k < order; ++k) {
      fixed.push_back(circle.fixed_point(k).x);
      fixed.push_back(circle.fixed_point(k).y);
    }
    EXPECT_EQ(testing::blake2b_text(fixed), row["fixed_blake2b"].get<std::string>()) << order;
  }
}

TEST(Circle, OppositePointsAndConjugatesAreExact) {
  constexpr u32 kOrder = 1u << 12;
  const Circle circle(kOrder), larger(8 * kOrder);
  for (u32 k = 1; k < kOrder; ++k) {
    const CirclePoint<double> p = circle.point(k), conjugate = circle.point(kOrder - k),
                              opposite = circle.point((k + kOrder / 2) % kOrder);
    EXPECT_TRUE(p.x == conjugate.x && p.y == -conjugate.y && p.x == -opposite.x && p.y == -opposite.y) << k;
    EXPECT_TRUE(p.x == larger.point(8 * k).x && p.y == larger.point(8 * k).y) << k;
  }
}

}  // namespace
}  // namespace ringfort
