// SPDX-License-Identifier: Apache-2.0
// Tests words that senders choose. A sender has the owner's public keys, and knows the key of the word hash. A sender
// can also encrypt bits that are the hash of no word. Therefore every word of a sender may differ from a query only in
// the last bit. Such a near miss adds as much noise as a match. Therefore the plan of a search, which bounds the noise,
// counts a near miss as a match.
#include <gtest/gtest.h>

#include <filesystem>

#include "ringfort/error.h"
#include "support/refused.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

constexpr std::uint32_t kBits = 32;

rgsw::SearchPlan planned(std::uint64_t words, std::uint64_t documents, bool as_sender, SearchOptions search = {}) {
  EstimateOptions options;
  options.words = words;
  options.documents = documents;
  options.as_sender = as_sender;
  options.most_words = static_cast<std::uint32_t>(words / documents + 1);
  options.measure = false;
  options.search = search;
  return estimate({}, options).plan;
}

TEST(Senders, EveryWordOfTheirIndexIsPlannedAsAMatch) {
  for (const bool total : {false, true}) {
    SearchOptions options;
    options.total = total;
    const auto plan = planned(150, 50, true, options);
    EXPECT_EQ(plan.max_matches, 150U) << total;
    EXPECT_EQ(plan.steps, 150U * kBits) << total;  // every step (product with one bit) of a near miss adds noise
    EXPECT_LE(plan.failure_log2, -128) << total;
  }
}

// If the owner indexes received letters, the words come from strangers. The strangers may have the owner's public keys.
TEST(Senders, EveryWordThatAnOwnerIndexesIsPlannedAsAMatchWhereThereArePublicKeys) {
  EXPECT_EQ(planned(150, 50, false).max_matches, 150U);
  SearchOptions trusting;
  trusting.max_matches = 50;
  EXPECT_EQ(planned(150, 50, false, trusting).max_matches, 50U);
  EstimateOptions options;
  options.words = 150;
  options.documents = 50;
  options.measure = false;
  KeyOptions no_public_keys;
  no_public_keys.preset = "gsw128-compact";
  EXPECT_EQ(estimate(no_public_keys, options).plan.max_matches, 50U);
}

// There are two indexes: one document with 2020 words, and a hundred documents with 437 words each. In these indexes, a
// plan for random words would accept near misses that make counts wrong.
TEST(Senders, IndexesThatNearMissesWouldBreakAreRefusedAndTheOptionIsNamed) {
  const auto preset = rgsw::preset("gsw128");
  const struct {
    std::uint64_t words, documents;
    std::uint32_t range;
    double near_misses;  // log2 of the failure probability; the promise is at most -128
  } cases[] = {{2020, 1, 2048, -13}, {43697, 100, 512, -6}};
  for (const auto& c : cases) {
    const auto by_chance = rgsw::plan_search(preset, rgsw::Mode::public_key, c.words, c.documents, kBits, c.range);
    EXPECT_LE(by_chance.failure_log2, -128);
    EXPECT_LT(by_chance.steps, c.words * kBits);
    try {
      static_cast<void>(planned(c.words, c.documents, true));
      ADD_FAILURE() << c.words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::noise_bound_exceeded);
      EXPECT_NE(error.problem().find("nearly match"), std::string::npos) << error.problem();
      EXPECT_NE(error.fix().find("--max-matches"), std::string::npos) << error.fix();
      EXPECT_NE(error.problem().find("2^" + std::to_string(static_cast<int>(c.near_misses))), std::string::npos)
          << error.problem();
    }
    SearchOptions trusting;
    trusting.max_matches = c.documents;
    EXPECT_EQ(planned(c.words, c.documents, true, trusting).steps, by_chance.steps);
  }
}

// Runs the worst case of a plan. A sender adds as many words as allowed. One is the searched word, and all others
// differ from the query only in the last bit.
TEST(Senders, CountsAreRightBesideAsManyNearMissesAsThePlanTakes) {
  choose_seed(17);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  std::vector<std::string> near, exact;
  const auto target = make_query(keys, "word").pattern;
  for (int i = 0; near.size() < 12 || exact.empty(); ++i) {
    const std::string word = "w" + std::to_string(i);
    const auto pattern = make_query(keys, word).pattern;
    if ((pattern ^ target) == 0x80 && near.size() < 12) near.push_back(word);
    if (pattern == target && exact.empty()) exact.push_back(word);
  }
  const std::vector<Document> documents = {{"a", "", near, ""}, {"b", "", {near[0], exact[0], near[1]}, ""}};
  make_index(folder / "index", keys, documents, {.as_sender = true});
  auto server = serve(folder / "index");
  EXPECT_EQ(server.plan({}).steps, 15U * 8);
  const auto counts = decrypt(keys, server.search(make_query(keys, "word"), {}));
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{0, 1}));
}

// No sender can mark a document as the owner's. If one could, the owner would skip letters, and the number of documents
// would tell the sender which letters the owner has.
TEST(Senders, NoneCanSayThatADocumentIsTheOwners) {
  choose_seed(18);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  keys.save_public(folder / "public");
  const auto sender = io::Keys::load_public(folder / "public", true);
  const std::string subject = std::string(217, 's') + "\u00e9" + std::string(60, 't');
  const std::vector<Document> documents = {{"<1@x>", "hello", {"word"}, ""}, {"<2@x>", subject, {"word"}, ""}};
  // The owner has the secret keys, but encrypts these words as a sender does.
  make_index(folder / "index", keys, documents, {.as_sender = true});
  {
    auto index = append_to(folder / "index");
    add_documents(index, sender, documents, {.as_sender = true});
  }
  const auto found = append_to(folder / "index").read_documents(std::vector<std::uint32_t>{0, 1, 2, 3}, keys);
  EXPECT_EQ(found[1].subject, subject.substr(0, 217));
  EXPECT_EQ(found[3].subject, subject.substr(0, 250));
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(found[i].added_by_owner, i < 2) << i;
  // A record from one index of the owner does not count in another index of the owner.
  make_index(folder / "other", keys, documents);
  std::filesystem::copy_file(folder / "index/documents.rfd", folder / "other/documents.rfd",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(folder / "other/documents.rfd",
                               std::filesystem::file_size(folder / "index/documents.rfd") - 2 * std::uintmax_t{596});
  for (const auto& document : open_index(folder / "other").read_documents(std::vector<std::uint32_t>{0, 1}, keys))
    EXPECT_FALSE(document.added_by_owner);
}

io::ContentDigest content_of(char letter) {
  io::ContentDigest content;
  content.fill(static_cast<std::uint8_t>(letter));
  return content;
}

// A stranger mails a letter with the id and the subject of another letter, and the owner indexes the stranger's letter.
// Then the index must contain the stranger's letter, but not the letter that the stranger imitates.
TEST(Senders, AnIndexHoldsWhatItsOwnerAddedByItsContentAndNotByIdAndSubject) {
  choose_seed(19);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  keys.save_public(folder / "public");
  const auto sender = io::Keys::load_public(folder / "public", true);
  const Document mailed{"<1@x>", "hello", {"word"}, "", content_of('m')},
      hers{"<1@x>", "hello", {"word"}, "", content_of('h')};
  const std::vector<io::ContentDigest> asked = {content_of('m'), content_of('h'), {}};
  make_index(folder / "index", keys, {mailed, {"<2@x>", "no content", {"word"}, ""}});
  using Contained = std::vector<bool>;
  EXPECT_EQ(open_index(folder / "index").contains(asked, keys), (Contained{true, false, false}));
  {
    auto index = append_to(folder / "index");
    // a stranger who has the public keys and the letter adds the letter
    add_documents(index, sender, std::vector<Document>{hers}, {.as_sender = true});
    EXPECT_EQ(index.contains(asked, keys), (Contained{true, false, false}));
    add_documents(index, keys, std::vector<Document>{hers}, {.as_sender = true});
    EXPECT_EQ(index.contains(asked, keys), (Contained{true, true, false}));
    ringfort::testing::expect_refused(
        Code::key_missing, [&] { static_cast<void>(index.contains(asked, sender)); }, "give the secret keys");
  }
  // A record from one index of the owner does not count in another index of the owner.
  make_index(folder / "other", keys, {hers, mailed});
  std::filesystem::copy_file(folder / "index/documents.rfd", folder / "other/documents.rfd",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(folder / "other/documents.rfd",
                               std::filesystem::file_size(folder / "index/documents.rfd") - 2 * std::uintmax_t{596});
  EXPECT_EQ(open_index(folder / "other").contains(asked, keys), (Contained{false, false, false}));
}

}  // namespace
}  // namespace ringfort::search::testing
