// SPDX-License-Identifier: Apache-2.0
// Tests an index folder that others may write to. A record of a document counts as the owner's only at the position
// where the owner added the document. An attacker can copy, swap or repeat records. The attacker can also set every
// field that is not sealed.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <numeric>

#include "io/documents.h"
#include "support/refused.h"
#include "support/search.h"

namespace ringfort::testing {
namespace {

namespace app = search::testing;

io::ContentDigest content_of(u8 letter) {
  io::ContentDigest content{};
  content.fill(letter);
  return content;
}

class OwnersRecords : public ::testing::Test {
 protected:
  static constexpr u32 kDocuments = 3;

  OwnersRecords() : keys((choose_seed(41), app::make_keys(app::tiny(), 8))) {
    std::vector<search::Document> documents;
    for (u8 i = 0; i < kDocuments; ++i)
      documents.push_back(
          {"<" + std::to_string(i) + "@x>", "letter " + std::to_string(i), {"word"}, "", content_of(i + 1)});
    app::make_index(index, keys, documents);
    const auto bytes = read_all(map);
    for (u32 i = 0; i < kDocuments; ++i) {
      records.push_back(io::decode_document(std::span(bytes).subspan(at(i), io::kDocumentRecordBytes)).take());
      if (i != 0) records[i].before = io::chained(records[i - 1]);
    }
  }
  static std::size_t at(u32 number) { return io::kLogStart + number * io::kDocumentRecordBytes; }

  // Writes record `number` with the sealed part of another record. If record `number` exists, its other fields keep
  // their values. A new record gets values that the map accepts.
  void put(u32 number, const io::DocumentRecord& sealed_of) const {
    auto bytes = read_all(map);
    io::DocumentRecord record = number < kDocuments ? records[number] : records[kDocuments - 1];
    record.number = number;
    if (number >= kDocuments) record.words = 0;  // all words of the segments belong to earlier records
    record.sealed = sealed_of.sealed;
    const auto encoded = io::encode_document(record);
    bytes.resize(std::max(bytes.size(), at(number) + encoded.size()));
    std::copy(encoded.begin(), encoded.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at(number)));
    write_all(map, bytes);
  }
  // Checks which records count as the owner's. `contained` states which letters Index::contains must find.
  void expect(const std::vector<bool>& own, const std::vector<bool>& contained) const {
    const auto opened = app::open_index(index);
    ASSERT_EQ(opened.documents(), own.size());
    for (u32 i = 0; i < own.size(); ++i) {
      EXPECT_EQ(opened.document(i, keys).added_by_owner, own[i]) << i;
      EXPECT_FALSE(opened.document(i, keys).has_unplaced_tag) << i;
    }
    EXPECT_EQ(opened.contains(std::vector{content_of(1), content_of(2), content_of(3)}, keys), contained);
    EXPECT_TRUE(io::Index::verify(index, false).problems.empty());  // the folder must have no other fault
  }

  const Folder folder;
  const std::string index = folder / "index", map = index + "/documents.rfd";
  const io::Keys keys;
  std::vector<io::DocumentRecord> records;
};

TEST_F(OwnersRecords, AreHersWhereSheAddedThem) {
  for (u32 i = 0; i < kDocuments; ++i) put(i, records[i]);
  expect({true, true, true}, {true, true, true});
}

TEST_F(OwnersRecords, CopiedOverAnotherAreNot) {
  put(1, records[0]);
  // the last record counts as the owner's only if the original records precede it
  expect({true, false, false}, {true, false, false});
  put(0, records[1]);
  expect({false, false, false}, {false, false, false});
}

TEST_F(OwnersRecords, RepeatedAtTheEndAreNot) {
  put(kDocuments, records[0]);
  expect({true, true, true, false}, {true, true, true});
  put(0, records[1]);  // the first record is lost; its copy at the end does not replace it
  expect({false, false, false, false}, {false, false, false});
}

// The sealed part of a record contains the owner's tag. The tag covers each field that states the position of the
// record. Therefore a change of such a field is detected.
TEST_F(OwnersRecords, AreNotHersBesideAnyOtherFieldInTheClear) {
  const auto opened = app::open_index(index);
  const io::Owner owner{keys.state(), opened.id()};
  const auto titles = io::decode_titles(io::open_sealed(keys.state(), records[1].sealed).take()).take();
  EXPECT_TRUE(io::is_own(titles, records[1], owner));
  for (u64 bit = 0; bit < 8 * (4 + 4 + 8 + 8 + 8); ++bit) {
    auto bytes = io::encode_document(records[1]);
    bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] ^ (1U << (bit % 8)));
    io::DocumentRecord other = records[1];
    io::ByteReader in(bytes);
    other.number = in.take_u32();
    other.words = in.take_u32();
    other.words_to_here = in.take_u64();
    other.body_offset = in.take_u64();
    other.body_bytes = in.take_u64();
    EXPECT_FALSE(io::is_own(titles, other, owner)) << "bit " << bit;
  }
}

TEST_F(OwnersRecords, AreNotHersWithAnyOtherSealedField) {
  const auto opened = app::open_index(index);
  const io::Owner owner{keys.state(), opened.id()};
  const auto titles = io::decode_titles(io::open_sealed(keys.state(), records[1].sealed).take()).take();
  const auto is_own_after = [&](auto change) {
    io::Titles other = titles;
    change(other);
    return io::is_own(other, records[1], owner);
  };
  EXPECT_TRUE(is_own_after([](io::Titles&) {}));
  EXPECT_FALSE(is_own_after([](io::Titles& t) { t.body_bytes = 1; }));
  EXPECT_FALSE(is_own_after([](io::Titles& t) { t.message_id += "x"; }));
  EXPECT_FALSE(is_own_after([](io::Titles& t) { t.subject += "x"; }));
  EXPECT_FALSE(is_own_after([](io::Titles& t) { t.mark[0] ^= 1; }));
}

// An attacker who can append may write a sealed part that cannot be opened, or a sealed part with a title that is
// longer than its field. The owner then loses only this document.
TEST_F(OwnersRecords, AreReadBesideRecordsThatDoNotOpen) {
  io::DocumentRecord random = records[1];
  random.sealed.fill(7);
  io::DocumentRecord too_long = records[1];
  std::vector<u8> titles(io::kTitlesBytes);
  titles[0] = io::kTitleBytes + 1;
  const auto sealed = io::seal_to(keys.box_public(), titles);
  std::copy(sealed.begin(), sealed.end(), too_long.sealed.begin());
  for (const auto& record : {random, too_long}) {
    put(2, record);
    expect({true, true, false}, {true, true, false});
    const auto found = app::open_index(index).read_documents(std::vector<u32>{2, 1, 0}, keys);
    EXPECT_EQ(found[1].subject, "letter 1");
    EXPECT_TRUE(!found[0].readable && found[1].readable && found[2].readable);
    EXPECT_TRUE(found[0].message_id.empty() && found[0].subject.empty());
    auto appended = app::append_to(index);
    search::add_documents(appended, keys, std::vector<search::Document>{{"<3@x>", "letter 3", {}, "", content_of(4)}},
                          {});
    EXPECT_EQ(appended.contains(std::vector{content_of(3), content_of(4)}, keys), (std::vector<bool>{false, true}));
    std::filesystem::resize_file(map, at(kDocuments));  // restores the old size for the next case
  }
}

// The server has two indexes of the owner. Documents of both indexes have equally many words. The server gives one
// index the id of the other, and mixes their records. A record from the other index counts as the owner's only if it
// follows the same records as in the other index.
TEST_F(OwnersRecords, FromAnotherIndexAreHersOnlyBehindTheSameRecords) {
  const std::string other = folder / "other";
  std::vector<search::Document> documents;
  for (u8 i = 0; i < kDocuments; ++i)
    documents.push_back(
        {"<" + std::to_string(i) + "@y>", "other " + std::to_string(i), {"word"}, "", content_of(i + 11)});
  app::make_index(other, keys, documents);
  std::filesystem::copy_file(other + "/parameters.rfp", index + "/parameters.rfp",
                             std::filesystem::copy_options::overwrite_existing);
  const auto bytes = read_all(other + "/documents.rfd");
  const auto theirs = [&](u32 number) {
    return io::decode_document(std::span(bytes).subspan(at(number), io::kDocumentRecordBytes)).take();
  };
  const std::vector<io::ContentDigest> asked = {content_of(11), content_of(12), content_of(13)};
  for (u32 number = 1; number < kDocuments; ++number) {
    put(number, theirs(number));
    expect({false, false, false}, {false, false, false});
    EXPECT_EQ(app::open_index(index).contains(asked, keys), (std::vector<bool>{false, false, false})) << number;
  }
  put(0, theirs(0));  // now the whole map is the map of the other index
  EXPECT_EQ(app::open_index(index).contains(asked, keys), (std::vector<bool>{true, true, true}));
}

TEST_F(OwnersRecords, AreNotReadWithOtherKeys) {
  const auto others = app::make_keys(app::tiny(), 8);
  const auto opened = app::open_index(index);
  const std::vector<u32> all = {0, 1, 2};
  expect_refused(Code::parameters_mismatch, [&] { static_cast<void>(opened.read_documents(all, others)); }, "keys");
  expect_refused(Code::parameters_mismatch, [&] { static_cast<void>(opened.contains({}, others)); }, "keys");
  expect_refused(Code::parameters_mismatch, [&] { static_cast<void>(opened.body(0, others)); }, "keys");
}

TEST_F(OwnersRecords, AreReadUntilTheCallerStops) {
  constexpr u32 kMany = 200;
  {
    auto appended = app::append_to(index);
    search::add_documents(appended, keys, std::vector<search::Document>(kMany), {});
  }
  const auto opened = app::append_to(index);
  std::vector<u32> all(opened.documents());
  std::iota(all.begin(), all.end(), 0U);
  const auto stops_after = [](int calls) {
    return [calls](u64 done, u64 total) mutable {
      EXPECT_LE(done, total);
      return --calls > 0;
    };
  };
  const auto is_stopped = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) { return error.code() == Code::stopped; }
    return false;
  };
  const std::vector<io::ContentDigest> asked(kMany, content_of(9));
  for (const int calls : {1, 2, 4}) {  // 1 and 2 calls end while the map is being read
    EXPECT_TRUE(is_stopped([&] { static_cast<void>(opened.read_documents(all, keys, stops_after(calls))); })) << calls;
    EXPECT_TRUE(is_stopped([&] { static_cast<void>(opened.contains(asked, keys, stops_after(2 * calls))); })) << calls;
  }
  EXPECT_EQ(opened.read_documents(all, keys, stops_after(100)).size(), all.size());
}

}  // namespace
}  // namespace ringfort::testing
