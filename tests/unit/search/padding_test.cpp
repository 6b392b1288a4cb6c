// SPDX-License-Identifier: Apache-2.0
// Tests the lengths that the server of an index can see: those of bodies (texts of documents), and numbers of words.
// padme() rounds a length up, so that few different lengths remain. By default a body is padded to padme() of its
// length, and to at least 256 bytes. On request, a document is padded to padme() of its number of words, and to at
// least 16 words. The known answers of padme() follow its definition [NikitinBarmanLueksUnderwoodHubauxFord19, Alg. 1].
#include <gtest/gtest.h>

#include "support/search.h"

namespace ringfort::search::testing {
namespace {

TEST(Padding, PadmeIsItsDefinition) {
  const std::vector<std::pair<u64, u64>> known = {{0, 0},
                                                  {1, 1},
                                                  {2, 2},
                                                  {3, 3},
                                                  {4, 4},
                                                  {7, 7},
                                                  {8, 8},
                                                  {9, 10},
                                                  {10, 10},
                                                  {11, 12},
                                                  {100, 104},
                                                  {257, 272},
                                                  {1000, 1024},
                                                  {1025, 1088},
                                                  {1000000, 1015808},
                                                  {(u64{1} << 40) + 1, (u64{1} << 40) + (u64{1} << 34)}};
  for (const auto& [length, padded] : known) EXPECT_EQ(io::padme(length), padded) << length;
  EXPECT_EQ(io::padme(~u64{0}), ~u64{0});
}

TEST(Padding, PadmeNeverShortensAddsAtMost12PercentAndLeavesFewLengths) {
  u64 last = 0, lengths = 0;
  for (u64 length = 1; length < 100000; ++length) {
    const u64 padded = io::padme(length);
    ASSERT_GE(padded, length);
    ASSERT_LE(25 * padded, 28 * length) << length;
    ASSERT_GE(padded, last);
    ASSERT_EQ(io::padme(padded), padded);
    lengths += padded != last ? 1 : 0;
    last = padded;
  }
  EXPECT_LT(lengths, 200U);
}

struct Scene {
  Scene() : keys((choose_seed(41), make_keys(tiny(), 16))), documents(random_documents(5, 4, 3, 20)) {
    const std::vector<std::size_t> lengths = {1, 300, 303, 20000};
    for (std::size_t i = 0; i < documents.size(); ++i)
      documents[i].body = std::string(lengths[i], static_cast<char>('a' + i));
  }
  Folder folder;
  std::string path = folder / "index";
  io::Keys keys;
  std::vector<Document> documents;
};

TEST(Padding, BodiesArePaddedUnlessTheirWriterSaysOtherwiseAndComeBackAsTheyWere) {
  for (const bool padded : {true, false}) {
    const Scene s;
    IndexOptions options;
    EXPECT_TRUE(options.pad_bodies);
    options.pad_bodies = padded;
    make_index(s.path, s.keys, s.documents, options);
    const auto index = open_index(s.path);
    const std::vector<u64> expected =
        padded ? std::vector<u64>{256, 304, 304, 20480} : std::vector<u64>{1, 300, 303, 20000};
    for (u32 i = 0; i < 4; ++i) {
      EXPECT_EQ(index.document(i, s.keys).body_bytes, expected[i] + 48) << i;
      EXPECT_EQ(index.body(i, s.keys), s.documents[i].body) << i;
    }
    EXPECT_TRUE(io::Index::verify(s.path, false).problems.empty());
  }
}

TEST(Padding, WordsArePaddedOnRequestAndNoCountChanges) {
  const Scene s;
  IndexOptions options;
  EXPECT_FALSE(options.pad_words);
  options.pad_words = true;
  make_index(s.path, s.keys, s.documents, options);
  const auto index = open_index(s.path);
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(index.document(i, s.keys).words, 16U);
  EXPECT_EQ(index.words(), 64U);
  auto server = serve(s.path);
  for (const std::string& word : {s.documents[0].words[0], s.documents[2].words[1], std::string("absent")}) {
    EXPECT_EQ(decrypt(s.keys, server.search(make_query(s.keys, word), {})), pattern_counts(s.keys, s.documents, word))
        << word;
  }
}

}  // namespace
}  // namespace ringfort::search::testing
