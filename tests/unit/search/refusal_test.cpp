// SPDX-License-Identifier: Apache-2.0
// Tests forbidden requests of the word search. Every refusal must have its code, come before any computation, and
// change nothing on disk. An index consists of segments (files of encrypted words). A segment is open for more words
// until it is sealed, and then ends with a footer.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "../../../fuzz/mend.h"
#include "ringfort/error.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

Code code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    return error.code();
  }
  ADD_FAILURE() << "nothing was refused";
  return Code::internal;
}

struct Stand {
  Stand() : keys((choose_seed(3), make_keys(tiny(), 16))), documents(random_documents(1, 5, 3, 9)) {
    make_index(folder / "index", keys, documents);
    keys.save_secret(folder / "secret", "");
    keys.save_public(folder / "public");
  }
  Folder folder;
  io::Keys keys;
  std::vector<Document> documents;
};

TEST(Refusal, AServerRefusesSecretsWhereverAFileIsRead) {
  const Stand s;
  EXPECT_EQ(code_of([&] { static_cast<void>(io::load_query(s.folder / "secret")); }), Code::secret_refused);
  EXPECT_EQ(code_of([&] { static_cast<void>(io::load_answer(s.folder / "secret")); }), Code::secret_refused);
  EXPECT_EQ(code_of([&] { static_cast<void>(io::Keys::load_public(s.folder / "secret")); }), Code::secret_refused);
  std::filesystem::copy_file(s.folder / "secret", s.folder / "index/parameters.rfp",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(code_of([&] { const auto server = serve(s.folder / "index"); }), Code::secret_refused);
}

TEST(Refusal, ASecretFileIsItsOwnersAlone) {
  const Stand s;
  struct stat facts{};
  ASSERT_EQ(::stat((s.folder / "secret").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST(Refusal, QueriesAndAnswersOfOtherKeysAreRefused) {
  const Stand s;
  const auto others = make_keys(tiny(), 16);
  auto server = serve(s.folder / "index");
  EXPECT_EQ(code_of([&] { static_cast<void>(server.search(make_query(others, "word1"), {})); }),
            Code::parameters_mismatch);
  const auto answer = server.search(make_query(s.keys, "word1"), {});
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt(others, answer)); }), Code::parameters_mismatch);
  auto index = append_to(s.folder / "index");
  EXPECT_EQ(code_of([&] { add_documents(index, others, s.documents, {}); }), Code::parameters_mismatch);
}

TEST(Refusal, AnAnswerIsReadOnlyBesideTheIndexThatWasSearched) {
  const Stand s;
  make_index(s.folder / "other", s.keys, s.documents);  // this index has the same keys, messages and size
  auto server = serve(s.folder / "index");
  const auto index = open_index(s.folder / "index"), other = open_index(s.folder / "other");
  EXPECT_NE(index.id(), other.id());
  for (const bool total : {false, true}) {
    SearchOptions options;
    options.total = total;
    const auto answer = server.search(make_query(s.keys, "word1"), options);
    io::save_answer(s.folder / "answer", answer);
    for (const auto& each : {answer, io::load_answer(s.folder / "answer")}) {
      EXPECT_EQ(each.index_id, index.id());
      EXPECT_EQ(decrypt(s.keys, each, index), decrypt(s.keys, answer));
      EXPECT_EQ(code_of([&] { static_cast<void>(decrypt(s.keys, each, other)); }), Code::parameters_mismatch);
    }
  }
}

// An answer has counts by document number. A copy of the searched index can name these documents. A copy from before
// the last documents were added cannot, and must be refused.
TEST(Refusal, ACopyOfAnIndexIsItAndAnOlderOneDoesNotNameWhatItLacks) {
  const Stand s;
  const auto copy = [&](const std::string& to) { std::filesystem::copy(s.folder / "index", s.folder / to); };
  copy("older");
  {
    auto index = append_to(s.folder / "index");
    add_documents(index, s.keys, s.documents, {});
    index.seal();
  }
  copy("copy");
  auto server = serve(s.folder / "index");
  const auto answer = server.search(make_query(s.keys, "word1"), {});
  EXPECT_EQ(decrypt(s.keys, answer, open_index(s.folder / "copy")), decrypt(s.keys, answer));
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt(s.keys, answer, open_index(s.folder / "older"))); }),
            Code::parameters_mismatch);
}

TEST(Refusal, AVerificationTellsEverySealedWordAndRepairsNothingOnceStopped) {
  const Stand s;
  {
    auto index = append_to(s.folder / "index");  // its last segment stays open
    add_documents(index, s.keys, s.documents, {});
  }
  std::uint64_t last = 0, all = 0;
  const auto problems = io::Index::verify(s.folder / "index", false, [&](std::uint64_t done, std::uint64_t total) {
                          // the callback is also called for documents, but `done` counts only words
                          EXPECT_GE(done, last);
                          EXPECT_LE(done, last + 1);
                          last = done;
                          all = total;
                          return true;
                        }).problems;
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 1u);
  EXPECT_FALSE(problems.empty());
  const auto stop = [](std::uint64_t done, std::uint64_t) { return done < 2; };
  EXPECT_EQ(code_of([&] { static_cast<void>(io::Index::verify(s.folder / "index", true, stop)); }), Code::stopped);
  EXPECT_EQ(io::Index::verify(s.folder / "index", false).problems, problems);
}

// A repair changes only the tail of the index, which is the open segment. No answer counts the tail. Therefore the
// document numbers of earlier answers keep their meaning.
TEST(Refusal, AnswersFromBeforeARepairAreStillNamedAfterIt) {
  const Stand s;
  const auto answer = serve(s.folder / "index").search(make_query(s.keys, "word1"), {});
  const auto id = open_index(s.folder / "index").id();
  {
    auto index = append_to(s.folder / "index");  // its last segment stays open
    add_documents(index, s.keys, s.documents, {});
  }
  EXPECT_TRUE(io::Index::verify(s.folder / "index", true).repaired);
  const auto repaired = open_index(s.folder / "index");
  EXPECT_EQ(repaired.id(), id);
  EXPECT_EQ(decrypt(s.keys, answer, repaired), pattern_counts(s.keys, s.documents, "word1"));
}

TEST(Refusal, KeysAndIndexesBelow128BitsAreLoadedOnlyWhenAllowed) {
  const Stand s;
  EXPECT_EQ(code_of([&] { static_cast<void>(io::Keys::load_public(s.folder / "public")); }), Code::insecure_parameters);
  EXPECT_EQ(code_of([&] { static_cast<void>(io::Keys::load_secret(s.folder / "secret", "")); }),
            Code::insecure_parameters);
  EXPECT_EQ(code_of([&] { const io::Index index(s.folder / "index"); }), Code::insecure_parameters);
  EXPECT_EQ(code_of([&] { const io::Index index(s.folder / "index", {.append = true}); }), Code::insecure_parameters);
  EXPECT_EQ(code_of([&] { const Server server(s.folder / "index"); }), Code::insecure_parameters);
  try {
    const Server server(s.folder / "index");
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("'tiny'"), std::string::npos) << error.what();
    EXPECT_NE(error.fix().find("--allow-insecure"), std::string::npos) << error.what();
  }
  EXPECT_EQ(open_index(s.folder / "index").documents(), s.documents.size());
}

TEST(Refusal, KeysAndIndexesOf128BitsNeedNoPermission) {
  choose_seed(33);
  const Folder folder;
  const auto keys = generate_keys({});
  keys.save_public(folder / "public");
  keys.save_secret(folder / "secret", "");
  io::Index::create(folder / "index", keys);
  EXPECT_TRUE(io::Keys::load_public(folder / "public").profile().parameters.insecure_reason.empty());
  EXPECT_NE(io::Keys::load_secret(folder / "secret", "").secret_key(), nullptr);
  EXPECT_EQ(io::Index(folder / "index", {.append = true}).documents(), 0U);
}

TEST(Refusal, ThePublicSetAppendsButNeitherReadsCountsNorNames) {
  const Stand s;
  const auto sender = io::Keys::load_public(s.folder / "public", true);
  {
    auto index = append_to(s.folder / "index");
    EXPECT_EQ(add_documents(index, sender, s.documents, {}).documents, s.documents.size());
    index.seal();
    EXPECT_EQ(code_of([&] { static_cast<void>(index.document(0, sender)); }), Code::key_missing);
  }
  auto server = serve(s.folder / "index");
  EXPECT_EQ(server.index().documents(), 2 * s.documents.size());
  const auto answer = server.search(make_query(sender, s.documents[0].words[0]), {});
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt(sender, answer)); }), Code::key_missing);
  const auto secret = io::Keys::load_secret(s.folder / "secret", "", true);
  auto twice = s.documents;
  twice.insert(twice.end(), s.documents.begin(), s.documents.end());
  EXPECT_EQ(decrypt(secret, answer), pattern_counts(secret, twice, s.documents[0].words[0]));
  EXPECT_EQ(server.index().document(7, secret).message_id, s.documents[2].message_id);
  EXPECT_EQ(server.index().document(7, secret).subject, s.documents[2].subject);
}

TEST(Refusal, ASearchThatTheNoiseBoundForbidsIsRefusedBeforeItRuns) {
  const Stand s;
  auto server = serve(s.folder / "index");
  SearchOptions options;
  options.count_range = 1U << 16;
  bool told = false;
  options.max_matches = 15;
  const auto plan = server.plan(options);
  EXPECT_LE(plan.failure_log2, -128);
  EstimateOptions large;
  large.words = std::uint64_t{1} << 39;
  large.documents = 1000;
  large.most_words = 60000;
  large.measure = false;
  EXPECT_EQ(code_of([&] { static_cast<void>(estimate({}, large)); }), Code::noise_bound_exceeded);
  options.engine = Engine::literal;
  EXPECT_EQ(
      code_of([&] {
        static_cast<void>(server.search(make_query(s.keys, "word1"), options, [&](auto, auto) { return told = true; }));
      }),
      Code::mode_forbidden);
  EXPECT_FALSE(told);
}

TEST(Refusal, AServerWhoseNoiseLeavesNoRoomForTheCountsComputesNothing) {
  choose_seed(31);
  const Folder folder;
  const auto keys = make_keys(tiny_literal(), 8);
  make_index(folder / "index", keys, random_documents(12, 3, 2, 4));
  auto server = serve(folder / "index");
  SearchOptions options;
  options.count_range = 1U << 16;
  bool told = false;
  const auto search = [&] {
    static_cast<void>(server.search(make_query(keys, "word1"), options, [&](auto, auto) { return told = true; }));
  };
  EXPECT_EQ(code_of(search), Code::noise_bound_exceeded);
  EXPECT_FALSE(told);
  EXPECT_EQ(server.report().words, 0U);
}

TEST(Refusal, AFooterThatHidesTheLongestDocumentIsNotTrusted) {
  choose_seed(32);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  const std::vector<Document> documents = {{"a", "", {"x", "y", "z"}, ""}, {"b", "", {"x"}, ""}, {"c", "", {"x"}, ""}};
  make_index(folder / "index", keys, documents);
  const std::string segment = folder / "index/segment-000001.rfs";
  auto bytes = ringfort::testing::read_all(segment);
  const std::size_t footer = bytes.size() - io::kFooterBytes, most_words = footer + 24;
  ASSERT_EQ(bytes[most_words], 3U);
  bytes[most_words] = 2;
  fuzz::put_crc(bytes, footer, bytes.size() - 4);
  ringfort::testing::write_all(segment, bytes);
  EXPECT_EQ(code_of([&] { const auto server = serve(folder / "index"); }), Code::io_range);
}

// The two copies are in different segments. In the first round, the owner encrypts all words, and the ciphertexts have
// seeds. In the second round, a sender encrypts all words, and the ciphertexts have no seeds.
TEST(Refusal, AnIndexWithTwoCopiesOfOneEncryptionIsNotSearched) {
  choose_seed(36);
  for (const bool as_sender : {false, true}) {
    const Folder folder;
    const auto keys = make_keys(tiny(), 8);
    make_index(folder / "index", keys, {{"a", "", {"x", "y"}, ""}}, {.as_sender = as_sender});
    const rgsw::Encryptor encryptor = as_sender ? rgsw::Encryptor(keys.context(), *keys.public_key())
                                                : rgsw::Encryptor(keys.context(), *keys.secret_key());
    const rgsw::EncryptedBits bits = encryptor.encrypt(std::vector<std::uint8_t>(8, 1));
    const auto add = [&](std::uint32_t document) {
      auto index = append_to(folder / "index");
      io::Index::Scratch scratch;
      std::vector<std::uint8_t> record;
      index.encode_word(document, bits, scratch, record);
      index.append_word(bits.mode(), record);
      index.commit_document("", "");
      index.seal();
    };
    add(1);
    EXPECT_EQ(serve(folder / "index").index().words(), 3U);
    EXPECT_TRUE(io::Index::verify(folder / "index", false).problems.empty());
    add(2);
    try {
      const auto server = serve(folder / "index");
      ADD_FAILURE() << as_sender;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::noise_bound_exceeded);
      EXPECT_NE(error.problem().find("word 3 of the index, of document 2, is a copy of word 2, of document 1"),
                std::string::npos)
          << error.problem();
    }
    {
      auto unsealed = append_to(folder / "index");
      add_documents(unsealed, keys, std::vector<Document>{{"b", "", {"z"}, ""}}, {.as_sender = as_sender});
    }
    EXPECT_TRUE(io::Index::verify(folder / "index", true).repaired) << "copies do not prevent the repair of a tail";
    const auto problems = io::Index::verify(folder / "index", false).problems;
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].find("word 3 is a copy of word 2"), std::string::npos) << problems[0];
  }
}

// The footer has the number of the last document. 2^32 - 1 must not wrap around to an index of 0 documents.
TEST(Refusal, AFooterThatNamesTheLastNumberOfAllIsNotTakenForNoDocuments) {
  choose_seed(34);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  make_index(folder / "index", keys, {{"a", "", {"x"}, ""}});
  const std::string segment = folder / "index/segment-000001.rfs";
  auto bytes = ringfort::testing::read_all(segment);
  const std::size_t footer = bytes.size() - io::kFooterBytes, last_document = footer + 20;
  for (std::size_t i = 0; i < 4; ++i) bytes[last_document + i] = 0xFF;
  fuzz::put_crc(bytes, footer, bytes.size() - 4);
  ringfort::testing::write_all(segment, bytes);
  EXPECT_EQ(code_of([&] { static_cast<void>(open_index(folder / "index")); }), Code::io_truncated);
}

TEST(Refusal, AnEstimateForMoreThanAnIndexCanHoldIsRefused) {
  const auto code = [](std::uint64_t words, std::uint64_t documents) {
    EstimateOptions options;
    options.words = words;
    options.documents = documents;
    options.measure = false;
    return code_of([&] { static_cast<void>(estimate({}, options)); });
  };
  constexpr std::uint64_t kDocuments = 0xFFFFFFFF;
  EXPECT_EQ(code(std::uint64_t{1} << 63, kDocuments), Code::io_limit);
  EXPECT_EQ(code(kDocuments + 1, kDocuments + 1), Code::invalid_argument);
  EXPECT_EQ(code(std::uint64_t{1} << 33, 1), Code::invalid_argument);  // the counts of so many words exceed every range
  EstimateOptions largest;
  largest.words = largest.documents = kDocuments;
  largest.measure = false;
  EXPECT_EQ(estimate({}, largest).answers, (kDocuments + 2047) / 2048);
}

TEST(Refusal, StoppingKeepsWhatWasCommittedAndNothingElse) {
  const Stand s;
  auto index = append_to(s.folder / "index");
  const auto before = index.documents();
  std::vector<Document> many = random_documents(4, 400, 3, 50);
  const auto stop = [](std::uint64_t done, std::uint64_t) { return done < 300; };
  EXPECT_EQ(code_of([&] { add_documents(index, s.keys, many, {}, stop); }), Code::stopped);
  EXPECT_GT(index.documents(), before);
  EXPECT_LT(index.documents(), before + many.size());
  index.seal();
  EXPECT_EQ(io::Index::verify(s.folder / "index", false).problems, std::vector<std::string>());
  auto server = serve(s.folder / "index");
  const auto no = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(code_of([&] { static_cast<void>(server.search(make_query(s.keys, "word1"), {}, no)); }), Code::stopped);
}

// An index declares how often it stores a word of one document at most; 0 means every occurrence.
TEST(Refusal, RepeatsBeyondTheDeclarationAreNotIndexed) {
  choose_seed(9);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  const std::vector<Document> documents = {{"a", "b", {"x", "x", "x", "y"}, ""}};
  for (const std::uint32_t most : {0U, 1U, 2U}) {
    const std::string path = folder / std::to_string(most);
    io::Index::create(path, keys, {std::uint64_t{1} << 20, most});
    {
      auto index = append_to(path);
      add_documents(index, keys, documents, {});
      index.seal();
    }
    auto server = serve(path);
    EXPECT_EQ(decrypt(keys, server.search(make_query(keys, "x"), {}))[0], most == 0 ? 3U : most);
    EXPECT_EQ(decrypt(keys, server.search(make_query(keys, "y"), {}))[0], 1U);
  }
}

TEST(Refusal, BodiesComeBackWholeAndAMissingSegmentIsNoticed) {
  choose_seed(10);
  const Folder folder;
  const auto keys = make_keys(tiny(), 32);
  auto documents = random_documents(5, 30, 5, 50);
  documents[3].body = std::string(100000, 'x') + std::string("\0\xFF", 2);
  make_index(folder / "index", keys, documents, {}, std::uint64_t{1} << 16);
  const auto index = open_index(folder / "index");
  EXPECT_EQ(index.body(3, keys), documents[3].body);
  EXPECT_EQ(index.body(2, keys), "");
  ASSERT_TRUE(std::filesystem::exists(folder / "index/segment-000003.rfs"));
  std::filesystem::remove(folder / "index/segment-000002.rfs");
  EXPECT_EQ(code_of([&] { const auto again = append_to(folder / "index"); }), Code::io_open);
}

}  // namespace
}  // namespace ringfort::search::testing
