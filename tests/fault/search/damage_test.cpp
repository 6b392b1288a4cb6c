// SPDX-License-Identifier: Apache-2.0
// Tests a flipped bit in committed records of an open segment. (An open segment is the file to which new words are
// written. The records of a document are committed if all of them are written.) An interrupted program cannot cause
// such damage. Therefore appending refuses the index and changes nothing. A repair drops the damaged documents and
// reports them. It keeps copies of the damaged files in the index folder, under names that contain ".damaged".
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "io/index.h"
#include "ringfort/error.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

namespace fs = std::filesystem;
using ringfort::testing::read_all;
using ringfort::testing::write_all;
using Files = std::map<std::string, std::vector<u8>>;

constexpr const char* kOpen = "segment-000002.open";
constexpr const char* kMap = "documents.rfd";

// An index with three sealed documents, and with three committed documents in an open segment.
struct OpenTail {
  OpenTail()
      : keys((choose_seed(21), make_keys(tiny(), 8))),
        documents(random_documents(6, 6, 2, 9)),
        path(folder / "index") {
    make_index(path, keys, std::span(documents).first(3));
    auto index = append_to(path);
    add_documents(index, keys, std::span(documents).last(3), {});
  }
  void make_index(const std::string& at, const io::Keys& with, std::span<const Document> some) const {
    io::Index::create(at, with, {std::uint64_t{1} << 18, 1});
    auto index = append_to(at);
    add_documents(index, with, some, {});
    index.seal();
  }
  [[nodiscard]] Files files() const {
    Files found;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().filename() != "lock") found[entry.path().filename()] = read_all(entry.path());
    }
    return found;
  }
  void flip(const std::string& name, std::size_t bit) const {
    auto bytes = read_all(path + "/" + name);
    bytes.at(bit / 8) = static_cast<u8>(bytes.at(bit / 8) ^ (1U << (bit % 8)));
    write_all(path + "/" + name, bytes);
  }
  Folder folder;
  io::Keys keys;
  std::vector<Document> documents;
  std::string path;
};

void expect_refused_untouched(const OpenTail& tail, const std::string& name, std::size_t bit) {
  const std::string reproduce = name + " bit " + std::to_string(bit);
  tail.flip(name, bit);
  const auto before = tail.files();
  try {
    const auto index = append_to(tail.path);
    ADD_FAILURE() << reproduce << ": damage was taken for an uncommitted tail, " << index.documents()
                  << " documents are left";
  } catch (const Error& error) { EXPECT_NE(error.code(), Code::internal) << reproduce << ": " << error.what(); }
  EXPECT_TRUE(tail.files() == before) << reproduce << ": a refused opening changed the index";
  tail.flip(name, bit);
}

// Flips one bit of each byte before the records, or each bit of the header with RINGFORT_COUNTS=full.
TEST(Damage, AFlippedBitOfTheOpenSegmentOrTheMapIsRefusedAndNothingChanges) {
  const OpenTail tail;
  const std::size_t all_bits = std::getenv("RINGFORT_COUNTS") != nullptr ? 8 * io::kHeaderBytes : 0;
  for (const std::string name : {kOpen, kMap}) {
    for (std::size_t bit = 0; bit < all_bits; ++bit) {
      expect_refused_untouched(tail, name, bit);
      if (::testing::Test::HasFailure()) return;
    }
    for (std::size_t byte = all_bits / 8; byte < io::kRecordsAt; ++byte)
      expect_refused_untouched(tail, name, 8 * byte + byte % 8);
  }
  const io::SegmentShape shape(tail.keys.profile(), rgsw::Mode::secret_key);
  const std::size_t bytes = fs::file_size(tail.path + "/" + kOpen);
  for (std::size_t at = io::kRecordsAt; at < bytes; at += shape.record_bytes) {
    for (const std::size_t byte :
         {at, at + 20, at + io::kRecordHeadBytes, at + shape.record_bytes / 2, at + shape.record_bytes - 1}) {
      expect_refused_untouched(tail, kOpen, 8 * byte + byte % 8);
    }
  }
  for (std::size_t at = io::kLogStart; at < fs::file_size(tail.path + "/" + kMap); at += io::kDocumentRecordBytes) {
    expect_refused_untouched(tail, kMap, 8 * (at + 100));
  }
}

TEST(Damage, ATornLastRecordIsAnInterruptedCommitAndDropsSilently) {
  const OpenTail tail;
  fs::resize_file(tail.path + "/" + kMap, fs::file_size(tail.path + "/" + kMap) - 10);
  const auto index = append_to(tail.path);
  EXPECT_EQ(index.documents(), 5U);
  EXPECT_EQ(index.recovered().dropped_documents, 0U);
  EXPECT_EQ(index.recovered().dropped_words, tail.documents[5].words.size());
}

TEST(Damage, ARepairDropsDamagedDocumentsSaysSoAndKeepsWhatHeldThem) {
  const OpenTail tail;
  const io::SegmentShape shape(tail.keys.profile(), rgsw::Mode::secret_key);
  const std::size_t first_words = tail.documents[3].words.size();
  tail.flip(kOpen, 8 * (io::kRecordsAt + first_words * shape.record_bytes + 8));  // in the second committed document
  const auto before = tail.files();
  const auto found = io::Index::verify(tail.path, false);
  EXPECT_EQ(found.dropped_documents, 2U);
  EXPECT_FALSE(found.repaired);
  EXPECT_TRUE(tail.files() == before);
  const auto repaired = io::Index::verify(tail.path, true);
  EXPECT_TRUE(repaired.repaired);
  EXPECT_EQ(repaired.documents, 4U);
  EXPECT_EQ(repaired.dropped_documents, 2U);
  EXPECT_EQ(tail.files().at(std::string(kOpen) + ".damaged"), before.at(kOpen));
  EXPECT_EQ(tail.files().at(std::string(kMap) + ".damaged"), before.at(kMap));
  EXPECT_EQ(tail.files().at("bodies.rfb.damaged"), before.at("bodies.rfb"));
  EXPECT_EQ(io::Index::verify(tail.path, false).problems, std::vector<std::string>());
  auto server = serve(tail.path);
  const std::vector<Document> kept(tail.documents.begin(), tail.documents.begin() + 4);
  const std::string word = kept[3].words[0];
  EXPECT_EQ(decrypt(tail.keys, server.search(make_query(tail.keys, word), {})), pattern_counts(tail.keys, kept, word));
}

TEST(Damage, ARepairKeepsAHugeSparseFileInLittleSpace) {
  const OpenTail tail;
  const auto bodies = read_all(tail.path + "/bodies.rfb");
  fs::resize_file(tail.path + "/bodies.rfb", std::uintmax_t{1} << 40);
  tail.flip(kMap, 8 * (fs::file_size(tail.path + "/" + kMap) - 100));
  EXPECT_TRUE(io::Index::verify(tail.path, true).repaired);
  const std::string kept = tail.path + "/bodies.rfb.damaged";
  EXPECT_EQ(fs::file_size(kept), std::uintmax_t{1} << 40);
  fs::resize_file(kept, bodies.size());
  EXPECT_EQ(read_all(kept), bodies);
  EXPECT_EQ(io::Index::verify(tail.path, false).problems, std::vector<std::string>());
}

TEST(Damage, ASecondRepairKeepsWhatTheFirstOneKept) {
  const OpenTail tail;
  const auto damage_the_last = [&] { tail.flip(kMap, 8 * (fs::file_size(tail.path + "/" + kMap) - 100)); };
  damage_the_last();
  const auto first = tail.files();
  ASSERT_TRUE(io::Index::verify(tail.path, true).repaired);
  {
    auto index = append_to(tail.path);
    add_documents(index, tail.keys, random_documents(7, 2, 2, 9), {});
  }
  damage_the_last();
  const auto second = tail.files();
  ASSERT_TRUE(io::Index::verify(tail.path, true).repaired);
  const auto kept = tail.files();
  EXPECT_EQ(kept.at(std::string(kMap) + ".damaged"), first.at(kMap));
  EXPECT_EQ(kept.at("bodies.rfb.damaged"), first.at("bodies.rfb"));
  EXPECT_EQ(kept.at(std::string(kOpen) + ".damaged"), first.at(kOpen));
  EXPECT_EQ(kept.at(std::string(kMap) + ".damaged-2"), second.at(kMap));
  EXPECT_EQ(kept.at("bodies.rfb.damaged-2"), second.at("bodies.rfb"));
  EXPECT_EQ(kept.at("segment-000003.open.damaged-2"), second.at("segment-000003.open"));
}

// Damage in a body cannot be repaired by truncating files. A truncation would only lose documents.
TEST(Damage, ARepairRefusesWhenSomethingElseIsDamaged) {
  OpenTail tail;
  {
    Document with_body = tail.documents[0];
    with_body.body = "a body";
    auto index = append_to(tail.path);
    add_documents(index, tail.keys, std::span(&with_body, 1), {});
  }
  tail.flip("bodies.rfb", 8 * (io::kLogStart + 5));
  const auto before = tail.files();
  const auto report = io::Index::verify(tail.path, true);
  EXPECT_FALSE(report.repaired);
  EXPECT_GE(report.problems.size(), 2U);
  EXPECT_TRUE(tail.files() == before);
}

// Before it allocates memory, a reader compares the length of a body with the file. A verification calls its stop
// function at every document.
TEST(Damage, ABodyThatIsNotThereIsToldAndAVerificationEndsWhereItIsStopped) {
  OpenTail tail;
  {
    Document with_body = tail.documents[0];
    with_body.body = "a body";
    auto index = append_to(tail.path);
    add_documents(index, tail.keys, std::span(&with_body, 1), {});
  }
  std::filesystem::resize_file(tail.path + "/bodies.rfb", io::kLogStart);
  const std::vector<std::string> problems = io::Index::verify(tail.path, false).problems;
  EXPECT_TRUE(std::any_of(problems.begin(), problems.end(), [](const std::string& problem) {
    return problem.find("it is cut off") != std::string::npos;
  }));
  u64 last = 0;
  const auto at_the_first_document = [&last](u64 done, u64) { return std::exchange(last, done) != done; };
  EXPECT_THROW((void)io::Index::verify(tail.path, false, at_the_first_document), Error);
}

TEST(Damage, DocumentsOfAnUnsealedSegmentAreNotAnsweredAsZero) {
  const OpenTail tail;
  auto server = serve(tail.path);
  EXPECT_EQ(server.index().documents(), 3U);
  const std::string word = tail.documents[4].words[0];
  const auto answer = server.search(make_query(tail.keys, word), {});
  EXPECT_EQ(answer.documents, 3U);
  const std::vector<Document> searched(tail.documents.begin(), tail.documents.begin() + 3);
  EXPECT_EQ(decrypt(tail.keys, answer), pattern_counts(tail.keys, searched, word));
}

TEST(Damage, AReaderOpensWhileAWriterSealsAndVerifyWhileItShortens) {
  choose_seed(22);
  const Folder folder;
  const std::string path = folder / "index";
  const auto keys = make_keys(tiny(), 8);
  const auto documents = random_documents(7, 300, 1, 9);
  io::Index::create(path, keys, {std::uint64_t{1} << 16, 1});
  std::atomic<bool> done{false};
  std::string why;
  std::thread reader([&] {
    while (!done && why.empty()) {
      try {
        const auto index = open_index(path);
      } catch (const Error& error) { why = error.what(); }
    }
  });
  {
    auto index = append_to(path);
    for (const auto& document : documents) {
      add_documents(index, keys, std::span(&document, 1), {});
      index.seal();
    }
  }
  done = true;
  reader.join();
  EXPECT_EQ(why, "");
}

}  // namespace
}  // namespace ringfort::search::testing
