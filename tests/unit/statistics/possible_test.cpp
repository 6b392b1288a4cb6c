// SPDX-License-Identifier: Apache-2.0
// Tests the check of decrypted totals (sums of columns, sums of products of columns). If no records of the study can
// have such totals, they must be refused. Totals of real records must be accepted, even if values are at the ends of
// their ranges, or if columns depend on each other exactly.
#include <gtest/gtest.h>

#include "support/statistics.h"

namespace ringfort::statistics::testing {
namespace {

Study ages_and_doses(Wanted wanted = Wanted::regressions) {
  return study_of({{"age", 18, 99}, {"dose", -20, 500}}, wanted, 4, 8);
}

void expect_refused(const Totals& totals, const std::string& what) {
  try {
    check_totals(totals);
    ADD_FAILURE() << what << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::range_exceeded);
    EXPECT_NE(error.problem().find(what), std::string::npos) << error.problem();
  }
}

TEST(PossibleTotals, ThoseOfRecordsInTheirRangesPass) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const Study study = ages_and_doses(static_cast<Wanted>(round % 3));
    Table table = random_table(study, 1 + round % 8, random);
    const auto end = [&](const Column& c) { return random() % 2 == 0 ? c.low : c.high; };
    if (round % 5 == 1) {
      for (std::size_t c = 0; c < 2; ++c) {
        for (auto& v : table[c]) v = end(study.columns[c]);
      }
    }
    if (round % 5 == 2) {
      // columns on a line give equality in the Cauchy-Schwarz inequality
      for (std::size_t r = 0; r < table[0].size(); ++r) table[1][r] = 5 * table[0][r] - 10;
    }
    EXPECT_NO_THROW(check_totals(totals_in_the_clear(study, table))) << round;
  }
  const Study wide =
      study_of({{"x", -(std::int64_t{1} << 22), std::int64_t{1} << 22}, {"y", 0, (std::int64_t{1} << 22) - 1}},
               Wanted::regressions, 4, 32);
  Table table = random_table(wide, 32, random);
  for (std::size_t r = 0; r < 32; ++r) table[0][r] = -table[1][r];
  EXPECT_NO_THROW(check_totals(totals_in_the_clear(wide, table)));
  // The covariance matrices of 24 columns have rank 3, 2, 1 and 0. A pivot of the elimination is negative only by
  // rounding.
  std::vector<Column> many;
  for (int c = 0; c < 24; ++c) many.push_back({"c" + std::to_string(c), -(1 << 20), 1 << 20});
  const Study singular = study_of(many, Wanted::regressions, 4, 32);
  for (int round = 0; round < 200; ++round) {
    table = random_table(singular, 4 - round % 4, random);
    EXPECT_NO_THROW(check_totals(totals_in_the_clear(singular, table))) << round;
  }
}

TEST(PossibleTotals, TotalsThatNoRecordsHaveAreRefused) {
  const Study study = ages_and_doses();
  const Totals right = totals_in_the_clear(study, {{30, 40, 50}, {100, 0, 300}});
  const auto changed = [&](auto change) {
    Totals totals = right;
    change(totals);
    return totals;
  };
  expect_refused(changed([](Totals& t) { t.sums[0][0] = 3 * 18 - 1; }), "the sum of column 'age'");
  expect_refused(changed([](Totals& t) { t.sums[0][0] = 3 * 99 + 1; }), "the sum of column 'age'");
  expect_refused(changed([](Totals& t) { t.sums[1][0] = -61; }), "the sum of column 'dose'");
  expect_refused(changed([](Totals& t) { t.products[0][0] = 3 * 99 * 99 + 1; }), "squares of column 'age'");
  // this total is below the square of the mean
  expect_refused(changed([](Totals& t) { t.products[0][0] = 120 * 120 / 3 - 1; }), "squares of column 'age'");
  expect_refused(changed([](Totals& t) { t.products[2][0] = -1; }), "squares of column 'dose'");
  expect_refused(changed([](Totals& t) { t.products[1][0] = 3 * 99 * 500; }),
                 "products of column 'age' and column 'dose'");
  // The ranges of the columns allow this covariance, but the two variances do not.
  const Totals narrow = totals_in_the_clear(study, {{50, 51, 52}, {200, 200, 206}});
  Totals joint = narrow;
  joint.products[1][0] += 40;
  expect_refused(joint, "products of column 'age' and column 'dose'");
  expect_refused(changed([](Totals& t) { t.records = 0; }), "records of 1 uploads");
  expect_refused(changed([](Totals& t) { t.records = 9; }), "records of 1 uploads");
  expect_refused(changed([](Totals& t) { t.uploads = 5; }), "records of 5 uploads");
  expect_refused(changed([](Totals& t) { t.uploads = t.records = 5; }), "5 records of 5 uploads");
  expect_refused(changed([](Totals& t) { t.uploads = t.records = 0; }), "0 records of 0 uploads");
}

TEST(PossibleTotals, TotalsOfAnotherShapeAreRefused) {
  const Totals good = totals_in_the_clear(ages_and_doses(), {{20, 30}, {1, 2}});
  const auto refuse = [&](auto change) {
    Totals totals = good;
    change(totals);
    EXPECT_EQ(code_of([&] { check_totals(totals); }), Code::invalid_argument);
  };
  refuse([](Totals& t) { t.sums.clear(); });
  refuse([](Totals& t) { t.sums[1].clear(); });
  refuse([](Totals& t) { t.sums.pop_back(); });
  refuse([](Totals& t) { t.sums[0].push_back(0); });
  refuse([](Totals& t) { t.products.clear(); });
  refuse([](Totals& t) { t.products[2].clear(); });
  refuse([](Totals& t) { t = {}; });
  refuse([](Totals& t) { t.study.columns.push_back({"another", 0, 1}); });
}

// Each of these three covariances is possible alone. All three together are not possible.
TEST(PossibleTotals, CovariancesThatNoRecordsHaveTogetherAreRefused) {
  const Study study = study_of({{"a", 0, 100}, {"b", 0, 100}, {"c", 0, 100}}, Wanted::regressions, 4, 8);
  Totals totals{study, 4, 20, {{1000}, {1000}, {1000}}, std::vector<std::vector<std::int64_t>>(6)};
  const auto covary = [&](std::size_t a, std::size_t b, std::int64_t sum) {
    totals.products[study.product(a, b)] = {1000 * 1000 / 20 + sum};
  };
  for (std::size_t c = 0; c < 3; ++c) covary(c, c, 20000);
  covary(0, 1, 18000);
  covary(1, 2, 18000);
  covary(0, 2, 12400);  // with the other two covariances, which are 0.9 times 20000, the minimum is 20000 (2 0.9^2 - 1)
  EXPECT_NO_THROW(check_totals(totals));
  covary(0, 2, 12398);
  expect_refused(totals, "products of column 'c' and the columns before it");
  covary(0, 2, -18000);
  expect_refused(totals, "products of column 'c' and the columns before it");
}

// Each of these totals is possible if records may be fractions. Records are integers.
TEST(PossibleTotals, WhatOnlyFractionsHaveIsRefused) {
  const Study study = study_of({{"ill", 0, 1}, {"old", 0, 1}}, Wanted::regressions, 4, 20);
  const auto totals = [&](std::int64_t sum, std::int64_t squares, std::int64_t both) {
    return Totals{study, 4, 80, {{sum}, {40}}, {{squares}, {both}, {40}}};
  };
  EXPECT_NO_THROW(check_totals(totals(40, 40, 20)));
  expect_refused(totals(40, 21, 20), "squares of column 'ill'");
  expect_refused(totals(40, 39, 20), "squares of column 'ill'");
  const Study wide = study_of({{"x", 0, 9}}, Wanted::variances, 4, 4);
  EXPECT_NO_THROW(check_totals({wide, 1, 2, {{7}}, {{25}}}));
  // the sum of the squares minus the sum must be even, and here it is odd
  expect_refused({wide, 1, 2, {{7}}, {{26}}}, "squares of column 'x'");
  const Study two = study_of({{"x", -9, 9}, {"y", -9, 9}}, Wanted::regressions, 4, 20);
  // x is one in ten records and zero in ten; y is one in one record and zero in 19
  const auto joint = [&](std::int64_t both) { return Totals{two, 1, 20, {{10}, {1}}, {{10}, {both}, {1}}}; };
  EXPECT_NO_THROW(check_totals(joint(0)));
  EXPECT_NO_THROW(check_totals(joint(1)));
  // the sum of the squares of x - y would be less than the sum of x - y
  expect_refused(joint(2), "products of column 'x' and column 'y'");
  expect_refused(joint(-1), "products of column 'x' and column 'y'");
}

// Nine records of a column are at one end of the column's range, and one record is at the other end. The record that is
// alone in one column is among the nine of the other column. Therefore the sum of products is at one of its four
// limits. All other conditions would allow a sum beyond this limit.
TEST(PossibleTotals, EveryLimitOfProductsIsExceededAlone) {
  const Study study = study_of({{"x", 0, 10}, {"y", 0, 10}}, Wanted::regressions, 4, 20);
  const auto totals = [&](bool high_x, bool high_y, std::int64_t both) {
    const std::int64_t x = high_x ? 90 : 10, y = high_y ? 90 : 10;
    return Totals{study, 1, 10, {{x}, {y}}, {{10 * x}, {both}, {10 * y}}};
  };
  const std::string what = "products of column 'x' and column 'y'";
  EXPECT_NO_THROW(check_totals(totals(false, false, 0)));
  expect_refused(totals(false, false, -1), what);
  EXPECT_NO_THROW(check_totals(totals(false, true, 100)));
  expect_refused(totals(false, true, 101), what);
  EXPECT_NO_THROW(check_totals(totals(true, false, 100)));
  expect_refused(totals(true, false, 101), what);
  EXPECT_NO_THROW(check_totals(totals(true, true, 800)));
  expect_refused(totals(true, true, 799), what);
  // x is 5 in every record
  const auto constant = [&](std::int64_t both) { return Totals{study, 1, 10, {{50}, {10}}, {{250}, {both}, {100}}}; };
  EXPECT_NO_THROW(check_totals(constant(50)));
  expect_refused(constant(51), what);
}

TEST(PossibleTotals, SquaresOfIntegersWithANegativeMeanAreChecked) {
  const Study study = study_of({{"x", -10, 10}}, Wanted::variances, 4, 20);
  EXPECT_NO_THROW(check_totals({study, 1, 10, {{-5}}, {{5}}}));
  expect_refused({study, 1, 10, {{-5}}, {{3}}}, "squares of column 'x'");
}

TEST(PossibleTotals, EverySlotIsChecked) {
  const Study study = study_of({{"x", 0, 9}}, Wanted::variances, 2, 3, true);
  Totals totals{study, 2, 2, {{3, 18, 0}}, {{5, 162, 0}}};
  EXPECT_NO_THROW(check_totals(totals));
  totals.sums[0][2] = 19;
  expect_refused(totals, "the sum of column 'x'");
  totals.sums[0][2] = 18;
  expect_refused(totals, "squares of column 'x'");
}

}  // namespace
}  // namespace ringfort::statistics::testing
