// SPDX-License-Identifier: Apache-2.0
// Tests several aggregators of one study, on several devices. An aggregator adds the encrypted uploads of users.
// Merging several aggregators must give the same bits and the same limits as one aggregator. Also tests failures of a
// device.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "support/devices.h"
#include "support/fault.h"
#include "support/statistics.h"

namespace ringfort::statistics::testing {
namespace {

using ringfort::testing::fail_at;

// Noise bounds are doubles. Therefore the last bits of their sums depend on the order of addition, and this function
// omits the bounds.
template <class S>
std::vector<u64> words_of(const Aggregate<S>& totals) {
  std::vector<u64> words;
  for (const auto* const group : {&totals.sums, &totals.products}) {
    for (const auto& ciphertext : *group) {
      const std::vector<u64> some = integers::testing::residues<S>(ciphertext);
      words.insert(words.end(), some.begin(), some.end());
    }
  }
  return words;
}

template <class S>
class StatisticsOnSeveralDevices : public ::testing::Test {};
using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(StatisticsOnSeveralDevices, Schemes);

const std::vector<Column> kTwo = {{"a", -100, 100}, {"b", 0, 65535}};

std::array<std::string, 4> four_devices() {
  if (ringfort::testing::tested_gpus().empty()) return {"cpu", "ref", "cpu", "ref"};
  return {"emu:0,checks=off", "emu:1,checks=off", "emu:2,checks=off", "emu:3,checks=off"};
}

TYPED_TEST(StatisticsOnSeveralDevices, TotalsAreTheSameBits) {
  choose_seed(21);
  std::mt19937_64 random(22);
  const Parties<TypeParam> parties(study_of(kTwo, Wanted::regressions, 40, 9));
  std::vector<Upload<TypeParam>> uploads;
  std::vector<Table> tables;
  for (int u = 0; u < 13; ++u) {
    tables.push_back(random_table(parties.study, 9, random));
    uploads.push_back(parties.upload(tables.back()));
  }
  // Both aggregators begin with the same encryptions of zero, because the seed is the same.
  choose_seed(23);
  auto one = parties.aggregator();
  choose_seed(23);
  auto main = parties.aggregator();
  for (const auto& upload : uploads) one.add(upload);
  std::vector<integers::Context<TypeParam>> contexts;
  std::vector<Aggregator<TypeParam>> besides;
  for (const std::string& device : four_devices()) {
    contexts.emplace_back(parties.context.parameters(), device);
    besides.push_back(main.beside(contexts.back()));
  }
  std::vector<std::thread> threads;
  for (std::size_t d = 0; d < besides.size(); ++d) {
    threads.emplace_back([&, d] {
      for (std::size_t u = d; u < uploads.size(); u += besides.size()) {
        Upload<TypeParam> there;
        there.records = uploads[u].records;
        for (const auto& column : uploads[u].columns) there.columns.push_back(column.to(contexts[d]));
        besides[d].add(there);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto& beside : besides) main.merge(beside);
  EXPECT_EQ(main.uploads(), 13u);
  EXPECT_EQ(besides[0].uploads(), 0u);
  const auto expected = one.result(&parties.relinearization, &parties.rotations);
  const auto found = main.result(&parties.relinearization, &parties.rotations);
  EXPECT_EQ(words_of(found), words_of(expected));
  EXPECT_EQ(all_of(parties.open(main)), plain_totals(parties.study, tables));
  // If an aggregator was merged into another aggregator, it accepts uploads again.
  besides[1].add(Upload<TypeParam>(decode_upload(contexts[1], parties.study, encode(parties.context, uploads[0]))));
  main.merge(besides[1]);
  tables.push_back(tables[0]);
  EXPECT_EQ(all_of(parties.open(main)), plain_totals(parties.study, tables));
}

TYPED_TEST(StatisticsOnSeveralDevices, LimitsCountTheUploadsOfAll) {
  choose_seed(24);
  const Parties<TypeParam> parties(study_of(kTwo, Wanted::means, 3, 1));
  auto main = parties.aggregator();
  auto left = main.beside(parties.context), right = left.beside(parties.context);
  const auto upload = parties.upload({{1}, {2}});
  main.add(upload);
  left.add(upload);
  right.add(upload);
  for (auto* const each : {&main, &left, &right}) EXPECT_EQ(code_of([&] { each->add(upload); }), Code::range_exceeded);
  EXPECT_EQ(code_of([&] { (void)left.result(nullptr, &parties.rotations); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { main.merge(main); }), Code::invalid_argument);
  auto other = parties.aggregator();
  EXPECT_EQ(code_of([&] { main.merge(other); }), Code::invalid_argument);
  main.merge(left);
  main.merge(right);
  main.merge(right);  // `right` is empty after the first merge
  EXPECT_EQ(main.uploads(), 3u);
}

TYPED_TEST(StatisticsOnSeveralDevices, TheFirstUploadUnderAnotherKeyIsRefused) {
  choose_seed(25);
  const Parties<TypeParam> parties(study_of(kTwo, Wanted::means, 9, 1)), others(parties.study);
  auto main = parties.aggregator();
  auto beside = main.beside(parties.context);
  const auto foreign = decode_upload(parties.context, parties.study, encode(others.context, others.upload({{1}, {2}})));
  EXPECT_EQ(code_of([&] { beside.add(foreign); }), Code::parameters_mismatch);
  beside.add(parties.upload({{5}, {6}}));
  main.merge(beside);
  EXPECT_EQ(parties.open(main).sums[0][0], 5);
}

TYPED_TEST(StatisticsOnSeveralDevices, AFailureDuringAMergeLosesTheTotals) {
  choose_seed(26);
  const Parties<TypeParam> parties(study_of(kTwo, Wanted::variances, 9, 1));
  auto main = parties.aggregator();
  auto beside = main.beside(parties.context);
  main.add(parties.upload({{1}, {2}}));
  beside.add(parties.upload({{3}, {4}}));
  fail_at(fault::Point::verb, 2);
  EXPECT_EQ(code_of([&] { main.merge(beside); }), Code::device_lost);
  fail_at(fault::Point::verb, 0);
  EXPECT_EQ(code_of([&] { main.merge(beside); }), Code::internal);
  EXPECT_EQ(code_of([&] { (void)main.result(&parties.relinearization, &parties.rotations); }), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort::statistics::testing
