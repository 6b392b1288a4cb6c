// SPDX-License-Identifier: Apache-2.0
// Tests all steps from uploads to statistics, with real encryption. Totals must equal those of 128-bit integers on
// every device that accepts the primes of the parameters. Statistics must equal published ones: Longley's regression as
// certified in NIST's reference data sets, and Anscombe's quartet.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "backend/backend.h"
#include "backend/devices.h"
#include "support/statistics.h"

namespace ringfort::statistics::testing {
namespace {

template <class S>
class Statistics : public ::testing::Test {};
using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(Statistics, Schemes);

const std::vector<Column> kThree = {{"a", -100, 100}, {"b", 0, 65535}, {"c", -7, 3}};

TYPED_TEST(Statistics, TotalsOfRaggedUploadsEqualExactIntegers) {
  choose_seed(1);
  std::mt19937_64 random(2);
  for (const Wanted wanted : {Wanted::means, Wanted::variances, Wanted::regressions}) {
    const Parties<TypeParam> parties(study_of(kThree, wanted, 40, 17));
    auto aggregator = parties.aggregator();
    std::vector<Table> tables;
    for (std::size_t u = 0; u < 40; ++u) {
      tables.push_back(random_table(parties.study, 1 + u % 17, random));
      aggregator.add(parties.upload(tables.back()));
      if (u != 11 && u != 39) continue;
      EXPECT_EQ(all_of(parties.open(aggregator)), plain_totals(parties.study, tables)) << u;
    }
    EXPECT_EQ(aggregator.uploads(), 40U);
  }
}

TYPED_TEST(Statistics, WithEachSlotTheSlotsStayApart) {
  choose_seed(3);
  std::mt19937_64 random(4);
  const Parties<TypeParam> parties(study_of({{"load", 0, 1000}, {"heat", -50, 50}}, Wanted::regressions, 25, 40, true));
  auto aggregator = parties.aggregator();
  std::vector<Table> tables;
  for (int u = 0; u < 25; ++u) {
    tables.push_back(random_table(parties.study, 40, random));
    aggregator.add(parties.upload(tables.back()));
  }
  const Totals totals = parties.open(aggregator);
  EXPECT_EQ(totals.sums[0].size(), 40u);
  EXPECT_THROW((void)parties.upload({std::vector<std::int64_t>(39), std::vector<std::int64_t>(39)}), Error);
  for (std::size_t slot = 0; slot < 40; ++slot) {
    std::vector<Table> one;
    for (const Table& table : tables) one.push_back({{table[0][slot]}, {table[1][slot]}});
    ASSERT_EQ(all_of(totals, slot), plain_totals(parties.study, one)) << slot;
  }
}

TYPED_TEST(Statistics, ValuesAtTheEndsOfTheirRangesDoNotWrapAtFullCapacity) {
  choose_seed(5);
  for (const std::int64_t end : {std::int64_t{-30000}, std::int64_t{30000}}) {
    const Parties<TypeParam> parties(study_of({{"x", -30000, 30000}}, Wanted::variances, 12, 64));
    auto aggregator = parties.aggregator();
    const std::vector<Table> tables(12, Table{std::vector<std::int64_t>(64, end)});
    for (const Table& table : tables) aggregator.add(parties.upload(table));
    EXPECT_EQ(all_of(parties.open(aggregator)), plain_totals(parties.study, tables));
  }
}

// Reads uploads from files, and aggregates them on a device. All devices use one set of keys.
template <class S>
io::Bytes aggregated_on(std::string_view device, const Parties<S>& parties, const std::vector<io::Bytes>& files,
                        unsigned threads) {
  const integers::Context<S> there(parties.context.parameters(), device);
  Aggregator<S> aggregator(there, parties.study, parties.key.to(there), threads);
  for (const auto& file : files) aggregator.add(decode_upload(there, parties.study, file));
  const auto relinearization = parties.relinearization.to(there);
  const auto rotations = parties.rotations.to(there);
  return encode(there, aggregator.result(&relinearization, &rotations));
}

bool takes_long_words(std::string_view device) {
  std::shared_ptr<const PreparedPlan> plan;
  return open_backend(device)->prepare({64, Word::u64, {primes(50, 64, 1)[0]}}, plan) == Status::ok;
}

TYPED_TEST(Statistics, EveryDeviceAndThreadCountGivesTheSameBytes) {
  choose_seed(6);
  std::mt19937_64 random(7);
  for (const PrimeChoice primes :
       {PrimeChoice{}, PrimeChoice{30, PrimeForm::c_2_16_1}, PrimeChoice{24, PrimeForm::c_2_16_1}}) {
    const Parties<TypeParam> parties(study_of(kThree, Wanted::regressions, 5, 64), tiny_ring(primes));
    std::vector<Table> tables;
    std::vector<io::Bytes> files;
    for (int u = 0; u < 5; ++u) {
      tables.push_back(random_table(parties.study, 64, random));
      files.push_back(encode(parties.context, parties.upload(tables.back())));
    }
    std::vector<io::Bytes> results;
    for (const std::string_view device : backend_names()) {
      if (primes.bits == 0 && !takes_long_words(device)) continue;
      choose_seed(8);  // the seed of the encryptions of zero with which the sums of columns begin
      results.push_back(aggregated_on(device, parties, files, 1));
      EXPECT_EQ(results.back(), results.front()) << device << ", primes of " << primes.bits << " bits";
    }
    choose_seed(8);
    EXPECT_EQ(aggregated_on("cpu", parties, files, 3), results.front());
    const auto found = decode_aggregate(parties.context, parties.study, results.front());
    EXPECT_EQ(all_of(decrypt(parties.context, parties.study, parties.generator.secret_key(), found)),
              plain_totals(parties.study, tables));
  }
}

TYPED_TEST(Statistics, ManyUploadsStreamThrough) {
  choose_seed(9);
  std::mt19937_64 random(10);
  const std::uint64_t uploads = std::getenv("RINGFORT_COUNTS") != nullptr ? 100000 : 1000;
  const Parties<TypeParam> parties(study_of({{"x", 0, 200}, {"y", -50, 50}}, Wanted::regressions, uploads, 1));
  auto aggregator = parties.aggregator();
  std::vector<Table> tables;
  for (std::uint64_t u = 0; u < uploads; ++u) {
    tables.push_back(random_table(parties.study, 1, random));
    aggregator.add(parties.upload(tables.back()));
  }
  EXPECT_EQ(all_of(parties.open(aggregator)), plain_totals(parties.study, tables));
}

// The chosen parameters must leave noise budget for the uploads of the study. The noise grows at most in proportion to
// the number of uploads.
TYPED_TEST(Statistics, ChosenParametersHoldTheStudysUploads) {
  choose_seed(11);
  for (const PrimeChoice primes : {PrimeChoice{}, PrimeChoice{30, PrimeForm::c_2_16_1}}) {
    const Parties<TypeParam> parties(study_of({{"age", 0, 120}, {"dose", 0, 500}}, Wanted::regressions, 100000, 16),
                                     Choice{primes, {}, 0, {}});
    EXPECT_TRUE(parties.context.parameters().chain.insecure_reason.empty());
    auto aggregator = parties.aggregator();
    aggregator.add(parties.upload({{30, 40}, {100, 200}}));
    const auto result = aggregator.result(&parties.relinearization, &parties.rotations);
    for (const auto* group : {&result.sums, &result.products}) {
      for (const auto& c : *group) EXPECT_GE(c.budget_bits(), std::log2(100000.0));
    }
    EXPECT_GE(parties.study.capacity(parties.context.plain_modulus()), 1600000U);
  }
}

TEST(StatisticsOfTotals, LongleysRegressionIsAsCertified) {
  const Table longley = {
      // this column is in tenths
      {830, 885, 882, 895, 962, 981, 990, 1000, 1012, 1046, 1084, 1108, 1126, 1142, 1157, 1169},
      {234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469, 419180, 442769, 444546, 482704, 502601,
       518173, 554894},
      {2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681, 3813, 3931, 4806, 4007},
      {1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798, 2637, 2552, 2514, 2572, 2827},
      {107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219, 117388, 118734, 120445, 121950, 123366, 125368,
       127852, 130081},
      {1947, 1948, 1949, 1950, 1951, 1952, 1953, 1954, 1955, 1956, 1957, 1958, 1959, 1960, 1961, 1962},
      {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761, 66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551}};
  const Study study = study_of(std::vector<Column>(7, {"", 0, 1 << 20}), Wanted::regressions, 1, 16);
  const std::vector<std::size_t> features = {0, 1, 2, 3, 4, 5};
  const Regression found = regress(totals_in_the_clear(study, longley), 6, features);
  const std::vector<double> certified = {1.50618722713733,  -0.358191792925910E-01, -2.02022980381683,
                                         -1.03322686717359, -0.511041056535807E-01, 1829.15146461355};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.coefficients[i] / certified[i], 1, 1e-12) << i;
  EXPECT_NEAR(found.intercept / -3482258.63459582, 1, 1e-12);
  EXPECT_NEAR(found.r_squared, 0.995479004577296, 1e-14);
}

TEST(StatisticsOfTotals, AnscombesFirstSetIsAsPublished) {
  // the second column is in hundredths
  const Table anscombe = {{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5},
                          {804, 695, 758, 881, 833, 996, 724, 426, 1084, 482, 568}};
  const Totals totals =
      totals_in_the_clear(study_of({{"x", 0, 20}, {"y", 0, 2000}}, Wanted::regressions, 1, 11), anscombe);
  EXPECT_EQ(mean(totals, 0), 9);
  EXPECT_EQ(variance(totals, 0, 1), 11);
  EXPECT_NEAR(mean(totals, 1), 750.09, 0.005);
  EXPECT_NEAR(variance(totals, 1, 1) / 1e4, 4.127, 0.0005);
  const std::size_t feature = 0;
  const Regression line = regress(totals, 1, {&feature, 1});
  EXPECT_NEAR(line.intercept, 300, 0.5);
  EXPECT_NEAR(line.coefficients[0], 50.0, 0.05);
  EXPECT_NEAR(line.r_squared, 0.667, 0.0005);
}

// One feature depends on the others. In exact arithmetic, the last pivot of the elimination is zero. The computed pivot
// is only a rounding error, but like all other pivots it is above the limit for pivots. A second check must find that
// the pivot may be a rounding error. The totals were found with exact integers.
TEST(StatisticsOfTotals, FeaturesWhoseDependenceOnlyRoundingHidesAreRefused) {
  const std::vector<Column> columns(6, Column{"x", -(std::int64_t{1} << 40), std::int64_t{1} << 40});
  Study study{columns, Wanted::regressions, 1, 1};
  for (std::size_t c = 0; c < columns.size(); ++c) study.columns[c].name += std::to_string(c);
  Totals totals{study, 1, 328'788'683'699, {}, {}};
  for (const std::int64_t sum :
       {-366'406'708'798, 413'306'228'193, 4'518'524'027'289, 2'423'656'355'491, 328'788'683'696, 488'542'278'398})
    totals.sums.push_back({sum});
  totals.products.resize(study.products());
  const std::int64_t products[] = {1'099'220'126'398,
                                   8,
                                   826'612'456'397,
                                   -5'496'100'631'974,
                                   5'372'980'966'503,
                                   62'404'879'442'793,
                                   -2'931'253'670'380,
                                   2'893'143'597'351,
                                   33'461'701'734'993,
                                   17'942'679'045'221,
                                   -366'406'708'794,
                                   413'306'228'196,
                                   4'518'524'027'244,
                                   2'423'656'355'470,
                                   328'788'683'696,
                                   -1'465'626'835'200,
                                   -14,
                                   7'328'134'175'970,
                                   3'908'338'227'178,
                                   488'542'278'392,
                                   1'954'169'113'612};
  const std::int64_t* next = products;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) totals.products[study.product(a, b)] = {*next++};
  }
  const auto code = [&](std::vector<std::size_t> features) {
    return code_of([&] { static_cast<void>(regress(totals, 5, features)); });
  };
  EXPECT_EQ(code({0, 1, 2, 3, 4}), Code::invalid_argument);
  EXPECT_LE(regress(totals, 5, std::vector<std::size_t>{0, 1}).r_squared, 1);
}

TEST(StatisticsOfTotals, CorrelatedFeaturesAreStillAccepted) {
  std::mt19937_64 random(3);
  constexpr std::size_t kFeatures = 12, kRecords = 400;
  Table table(kFeatures + 1);
  std::vector<Column> columns;
  for (std::size_t c = 0; c <= kFeatures; ++c) columns.push_back({"x" + std::to_string(c), -1'000'000, 1'000'000});
  for (std::size_t r = 0; r < kRecords; ++r) {
    const auto common = static_cast<std::int64_t>(random() % 2001) - 1000;
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < kFeatures; ++c) {
      table[c].push_back(10 * common + static_cast<std::int64_t>(random() % 201));  // gives correlations of 0.9999
      sum += static_cast<std::int64_t>(c) * table[c].back();
    }
    table[kFeatures].push_back(sum);
  }
  const Totals totals = totals_in_the_clear(study_of(columns, Wanted::regressions, 1, kRecords), table);
  std::vector<std::size_t> features(kFeatures);
  std::iota(features.begin(), features.end(), 0);
  const Regression found = regress(totals, kFeatures, features);
  for (std::size_t c = 0; c < kFeatures; ++c) EXPECT_NEAR(found.coefficients[c], static_cast<double>(c), 1e-9);
}

// There are three independent pairs of features. Each feature is nearly equal to the other feature of its pair: 1 - r^2
// is about 2^-30, where r is their correlation.
TEST(StatisticsOfTotals, PairsOfNearlyEqualFeaturesAreStillAccepted) {
  std::mt19937_64 random(7);
  constexpr std::size_t kPairs = 3, kRecords = 1000;
  constexpr std::int64_t kDay = 86'400;
  Table table(2 * kPairs + 1);
  for (std::size_t r = 0; r < kRecords; ++r) {
    std::int64_t sum = 0;
    for (std::size_t p = 0; p < kPairs; ++p) {
      const auto begin = static_cast<std::int64_t>(random() % kDay), length = static_cast<std::int64_t>(random() % 3);
      table[2 * p].push_back(begin);
      table[2 * p + 1].push_back(begin + length);
      sum += 100 * static_cast<std::int64_t>(p + 1) * length;
    }
    table[2 * kPairs].push_back(sum);
  }
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.size(); ++c) columns.push_back({"x" + std::to_string(c), 0, 2 * kDay});
  const Totals totals = totals_in_the_clear(study_of(columns, Wanted::regressions, 1, kRecords), table);
  std::vector<std::size_t> features(2 * kPairs);
  std::iota(features.begin(), features.end(), 0);
  const Regression found = regress(totals, 2 * kPairs, features);
  for (std::size_t p = 0; p < kPairs; ++p) {
    EXPECT_NEAR(found.coefficients[2 * p], -100.0 * static_cast<double>(p + 1), 1e-4);
    EXPECT_NEAR(found.coefficients[2 * p + 1], 100.0 * static_cast<double>(p + 1), 1e-4);
  }
}

TEST(StatisticsOfTotals, DependentFeaturesAndUnknownColumnsAreRefused) {
  const Study study =
      study_of({{"x", 0, 9}, {"twice", 0, 18}, {"constant", 4, 4}, {"y", 0, 9}}, Wanted::regressions, 1, 5);
  const Totals totals =
      totals_in_the_clear(study, {{1, 2, 3, 4, 5}, {2, 4, 6, 8, 10}, {4, 4, 4, 4, 4}, {1, 0, 2, 5, 1}});
  for (const std::vector<std::size_t>& features : {std::vector<std::size_t>{0, 1}, {2}, {}, {0, 1, 2, 3, 0}, {7}}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(regress(totals, 3, features)); }), Code::invalid_argument);
  }
  EXPECT_EQ(regress(totals, 2, std::vector<std::size_t>{0}).r_squared, 1);
  EXPECT_EQ(code_of([&] { static_cast<void>(variance(totals, 0, 5)); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { static_cast<void>(mean(totals, 4)); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { static_cast<void>(mean(totals, 0, 1)); }), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort::statistics::testing
