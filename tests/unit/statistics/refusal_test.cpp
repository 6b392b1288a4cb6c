// SPDX-License-Identifier: Apache-2.0
// Tests what the encrypted statistics refuse: studies that fit no ring, uploads that are not fresh encryptions for this
// study, totals that might wrap around, and damaged files. A refused upload must change nothing, even if memory or the
// device fails.
#include <gtest/gtest.h>

#include "support/allocation.h"
#include "support/statistics.h"

namespace ringfort::statistics::testing {
namespace {

using S = bgv::Scheme;

Study two_columns(std::uint64_t uploads = 4) {
  return study_of({{"x", -9, 9}, {"y", 0, 100}}, Wanted::regressions, uploads, 8);
}
const Table kTable = {{1, -2, 9}, {100, 0, 7}};

TEST(StudyRefusal, AStudyHasColumnsRangesAndCounts) {
  const auto refused = [](auto change) {
    Study study = two_columns();
    change(study);
    return code_of([&] { static_cast<void>(choose<S>(study, tiny_ring())); });
  };
  EXPECT_EQ(refused([](Study& s) { s.columns.clear(); }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.columns.resize(65, {"z", 0, 1}); }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.columns[0] = {"x", 3, 2}; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.columns[0] = {"x", 0, (std::int64_t{1} << 31) + 1}; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.columns[0] = {"x", std::numeric_limits<std::int64_t>::min(), 0}; }),
            Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.uploads = 0; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.uploads = (std::uint64_t{1} << 24) + 1; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.records = 0; }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.wanted = static_cast<Wanted>(3); }), Code::invalid_argument);
  EXPECT_EQ(refused([](Study& s) { s.columns[0] = {"x", 0, std::int64_t{1} << 30}; }), Code::unsupported);
}

TEST(StudyRefusal, ARingHasASlotForEachRecord) {
  Study study = two_columns();
  study.records = tiny_ring().n + 1;
  EXPECT_EQ(code_of([&] { static_cast<void>(choose<S>(study, tiny_ring())); }), Code::invalid_argument);
  study.records -= 1;
  EXPECT_EQ(choose<S>(study, tiny_ring()).chain.n, study.records);
}

TEST(StudyRefusal, ProductsOutsideTheStudyAreRefused) {
  Study study = two_columns();
  EXPECT_EQ(study.product(1, 0), study.product(0, 1));
  EXPECT_EQ(code_of([&] { static_cast<void>(study.product(0, 2)); }), Code::invalid_argument);
  study.wanted = Wanted::variances;
  EXPECT_EQ(code_of([&] { static_cast<void>(study.product(0, 1)); }), Code::invalid_argument);
  study.wanted = Wanted::means;
  EXPECT_EQ(code_of([&] { static_cast<void>(study.product(0, 0)); }), Code::invalid_argument);
}

TEST(StudyRefusal, ValuesOutsideTheirRangesAreNotEncrypted) {
  choose_seed(1);
  const Parties<S> parties(two_columns());
  for (const Table& table : {Table{{10}, {0}}, Table{{0}, {-1}}, Table{{0, 1}, {0}}, Table{{0}}, Table{{}, {}},
                             Table{std::vector<std::int64_t>(9), std::vector<std::int64_t>(9)}}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(parties.upload(table)); }), Code::invalid_argument);
  }
}

struct Stand {
  Stand() : parties((choose_seed(2), two_columns())), aggregator(parties.aggregator()) {
    aggregator.add(parties.upload(kTable));
  }
  // Adds the upload. Expects a refusal with this code, and an unchanged result.
  void expect_refused(const Upload<S>& upload, Code code) {
    const io::Bytes before = bytes();
    EXPECT_EQ(code_of([&] { aggregator.add(upload); }), code);
    EXPECT_EQ(bytes(), before);
    EXPECT_EQ(aggregator.uploads(), 1U);
  }
  [[nodiscard]] io::Bytes bytes() const {
    return encode(parties.context, aggregator.result(&parties.relinearization, &parties.rotations));
  }
  Parties<S> parties;
  Aggregator<S> aggregator;
};

TEST(UploadRefusal, AnotherKeyOrAnotherRingIsRefusedAndChangesNothing) {
  Stand s;
  const Parties<S> others(s.parties.study, s.parties.context.parameters(), "");
  s.expect_refused(others.upload(kTable), Code::parameters_mismatch);
  auto mixed = s.parties.upload(kTable);
  mixed.columns[1] = std::move(others.upload(kTable).columns[1]);
  s.expect_refused(mixed, Code::parameters_mismatch);
  const Parties<S> elsewhere(two_columns(4000));
  s.expect_refused(elsewhere.upload(kTable), Code::parameters_mismatch);
}

TEST(UploadRefusal, OnlyFreshEncryptionsOfTheStudysShapeAreTaken) {
  Stand s;
  const auto changed = [&](auto change) {
    auto upload = s.parties.upload(kTable);
    change(upload);
    return upload;
  };
  const integers::Evaluator<S> evaluator(s.parties.context);
  s.expect_refused(changed([&](auto& u) { u.columns[1] = evaluator.add(u.columns[1], u.columns[1]); }),
                   Code::mode_forbidden);
  s.expect_refused(changed([&](auto& u) { u.columns[0] = evaluator.multiply_integer(u.columns[0], 1000); }),
                   Code::mode_forbidden);
  s.expect_refused(changed([&](auto& u) { u.columns[0] = evaluator.square(u.columns[0]); }), Code::mode_forbidden);
  s.expect_refused(changed([&](auto& u) { u.columns[0] = evaluator.mod_switch(u.columns[0], 0); }),
                   Code::mode_forbidden);
  s.expect_refused(changed([&](auto& u) { u.columns[0] = {}; }), Code::mode_forbidden);
  s.expect_refused(changed([&](auto& u) { u.columns.pop_back(); }), Code::parameters_mismatch);
  s.expect_refused(changed([&](auto& u) { u.records = 9; }), Code::parameters_mismatch);
  s.expect_refused(changed([&](auto& u) { u.records = 0; }), Code::parameters_mismatch);
}

TEST(UploadRefusal, OneUploadTooManyIsRefusedBeforeATotalCanWrap) {
  choose_seed(3);
  const Parties<S> parties(two_columns());
  auto aggregator = parties.aggregator();
  for (int u = 0; u < 4; ++u) aggregator.add(parties.upload(kTable));
  EXPECT_EQ(code_of([&] { aggregator.add(parties.upload(kTable)); }), Code::range_exceeded);
}

// A study may declare more uploads than its modulus can hold.
TEST(UploadRefusal, TheModulusDecidesNotTheDeclaredCount) {
  choose_seed(4);
  const Study small = study_of({{"x", 0, 20000}}, Wanted::variances, 2, 8);
  Study greedy = small;
  greedy.uploads = 1 << 20;
  const Parties<S> parties(greedy, choose<S>(small, tiny_ring()), "");
  const std::uint64_t capacity = greedy.capacity(parties.context.plain_modulus());
  auto aggregator = parties.aggregator();
  const Table full = {std::vector<std::int64_t>(8, 20000)};
  for (std::uint64_t records = 0; records + 8 <= capacity; records += 8) aggregator.add(parties.upload(full));
  const auto count = static_cast<i128>(aggregator.records());
  EXPECT_EQ(all_of(parties.open(aggregator)), (std::vector<i128>{count * 20000, count * 400000000}));
  EXPECT_EQ(code_of([&] { aggregator.add(parties.upload(full)); }), Code::range_exceeded);
}

TEST(UploadRefusal, ResultsNeedUploadsAndKeys) {
  choose_seed(5);
  const Parties<S> parties(two_columns());
  auto aggregator = parties.aggregator();
  EXPECT_EQ(code_of([&] { static_cast<void>(aggregator.result(&parties.relinearization, &parties.rotations)); }),
            Code::invalid_argument);
  aggregator.add(parties.upload(kTable));
  EXPECT_EQ(code_of([&] { static_cast<void>(aggregator.result(nullptr, &parties.rotations)); }), Code::key_missing);
  EXPECT_EQ(code_of([&] { static_cast<void>(aggregator.result(&parties.relinearization, nullptr)); }),
            Code::key_missing);
}

TEST(MovedFrom, AggregatorsAndUploadsAreRefused) {
  choose_seed(7);
  const Parties<S> parties(two_columns());
  auto moved = parties.aggregator();
  auto kept = std::move(moved);
  auto upload = parties.upload(kTable);
  const auto refused = [](auto use) { EXPECT_EQ(code_of(use), Code::invalid_argument); };
  refused([&] { static_cast<void>(moved.uploads()); });
  refused([&] { static_cast<void>(moved.records()); });
  refused([&] { moved.add(upload); });
  refused([&] { static_cast<void>(moved.result(&parties.relinearization, &parties.rotations)); });
  refused([&] { static_cast<void>(moved.beside(parties.context)); });
  refused([&] { kept.merge(moved); });
  refused([&] { moved.merge(kept); });
  const auto other = std::move(upload);
  EXPECT_EQ(code_of([&] { kept.add(upload); }), Code::parameters_mismatch);
  kept.add(other);
  moved = std::move(kept);
  EXPECT_EQ(moved.uploads(), 1U);
}

TEST(FileRefusal, DamagedUploadsGiveErrorsOfOurs) {
  choose_seed(6);
  const Parties<S> parties(two_columns());
  const io::Bytes good = encode(parties.context, parties.upload(kTable));
  for (std::size_t at = 0; at < good.size(); at += 1 + at / 16) {
    io::Bytes bad = good;
    bad[at] ^= static_cast<std::uint8_t>(1 + at % 255);
    EXPECT_THROW(static_cast<void>(decode_upload(parties.context, parties.study, bad)), Error) << at;
    bad = good;
    bad.resize(at);
    EXPECT_THROW(static_cast<void>(decode_upload(parties.context, parties.study, bad)), Error) << at;
  }
}

TEST(FileRefusal, FilesOfAnotherKindOrStudyAreRefused) {
  Stand s;
  const auto& context = s.parties.context;
  const io::Bytes upload = encode(context, s.parties.upload(kTable)), result = s.bytes();
  Study one = s.parties.study;
  one.columns.pop_back();
  EXPECT_EQ(code_of([&] { static_cast<void>(decode_upload(context, one, upload)); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { static_cast<void>(decode_upload(context, s.parties.study, result)); }),
            Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { static_cast<void>(decode_aggregate(context, s.parties.study, upload)); }),
            Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { static_cast<void>(decode_aggregate(context, one, result)); }), Code::parameters_mismatch);
  // This file of an upload has a ciphertext that was computed. The reader does not trust the noise bound in the file.
  auto computed = s.parties.upload(kTable);
  computed.columns[0] = integers::Evaluator<S>(context).add(computed.columns[0], computed.columns[1]);
  EXPECT_EQ(code_of([&] { static_cast<void>(decode_upload(context, s.parties.study, encode(context, computed))); }),
            Code::mode_forbidden);
}

TEST(UploadFaults, AnUploadThatMeetsAFailureCountsNotOrTheAggregatorSaysSo) {
  choose_seed(7);
  ASSERT_TRUE(ringfort::testing::allocations_are_fault_points());
  const Parties<S> parties(two_columns(), tiny_ring(), "ref");
  const auto upload = parties.upload(kTable);
  std::uint64_t half_added = 0, untouched = 0;
  for (const fault::Point point : {fault::Point::alloc, fault::Point::verb}) {
    for (std::uint64_t failed = 1;; ++failed) {
      Aggregator<S> aggregator = parties.aggregator();
      aggregator.add(upload);
      ringfort::testing::fail_at(point, failed);
      try {
        aggregator.add(upload);
      } catch (const std::bad_alloc&) {
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), point == fault::Point::alloc ? Code::out_of_memory : Code::device_lost) << error.what();
      }
      const std::uint64_t calls = ringfort::testing::calls_at(point);
      ringfort::testing::fail_at(point, 0);
      if (calls < failed) break;
      ASSERT_EQ(aggregator.uploads(), 1U) << failed;
      try {
        ASSERT_EQ(all_of(parties.open(aggregator)), plain_totals(parties.study, {kTable})) << failed;
        ++untouched;
      } catch (const Error& error) {
        EXPECT_NE(error.problem().find("only in part"), std::string::npos) << error.what();
        ++half_added;
      }
    }
  }
  EXPECT_GT(half_added, 0U);
  EXPECT_GT(untouched, 0U);
}

}  // namespace
}  // namespace ringfort::statistics::testing
