// SPDX-License-Identifier: Apache-2.0
// Tests the files of the word search: keys, queries, answers, and the parts of an index. Files of released versions
// must stay readable. The bytes of the current version must not change by mistake.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "../../../fuzz/mend.h"
#include "io/checksum.h"
#include "io/keys.h"
#include "support/memory_scan.h"
#include "support/refused.h"
#include "support/search_files.h"

namespace ringfort::testing {
namespace {

std::string stored(const std::string& name, const std::string& version = "3") {
  return std::string(RINGFORT_VECTORS) + "/wire/" + version + "/" + name;
}

// To add a version of the format, make its folder in tests/vectors/wire, make it the default of stored(), and run
// `RINGFORT_WRITE_WIRE=1 ./test_unit_search`. The run writes the files of this build to the folder. Never change the
// folder of a released version.
TEST(Wire, StoredFilesOfEveryTypeAreReadAndTheirBytesAreStillTheSame) {
  for (const auto& sample : make_samples()) {
    if (std::getenv("RINGFORT_WRITE_WIRE") != nullptr) write_all(stored(sample.name), sample.bytes);
    const auto bytes = read_all(stored(sample.name));
    ASSERT_FALSE(bytes.empty()) << sample.name;
    const auto refused = decode_sample(sample.name, bytes);
    EXPECT_FALSE(refused.has_value()) << sample.name << ": " << (refused ? refused->problem : "");
    EXPECT_EQ(io::blake2b_256(bytes), io::blake2b_256(sample.bytes))
        << sample.name << ": this build's bytes differ from those of version 3";
  }
}

TEST(Wire, FilesOfVersion2AreReadAndTheirKeysAreSavedAsTheyWere) {
  const Folder folder;
  for (const auto& sample : make_samples()) {
    const auto refused = decode_sample(sample.name, read_all(stored(sample.name, "2")));
    EXPECT_FALSE(refused.has_value()) << sample.name << ": " << (refused ? refused->problem : "");
  }
  const auto secret = io::Keys::load_secret(stored("secret.key", "2"), "", true);
  const auto open = io::Keys::load_public(stored("public.key", "2"), true);
  secret.save_secret(folder / "secret.key", "");
  open.save_public(folder / "public.key");
  for (const char* name : {"secret.key", "public.key"})
    EXPECT_EQ(read_all(folder / name), read_all(stored(name, "2"))) << name;
  EXPECT_NE(open.fingerprint(), open.profile().key_id);
  expect_refused(Code::key_missing, [&] { (void)secret.fingerprint(); }, "public file");
}

// The owner of an index of version 2 appends a body, which is padded. Then the owner reads the bodies that the index
// already had.
TEST(Wire, AnIndexOfVersion2IsAppendedToAndReadByItsOwner) {
  namespace app = search::testing;
  const Folder folder;
  std::filesystem::create_directory(folder / "index");
  for (const char* name :
       {"parameters.rfp", "segment-000001.rfs", "segment-000002.open", "documents.rfd", "bodies.rfb"}) {
    std::filesystem::copy_file(stored(name, "2"), folder / (std::string("index/") + name));
  }
  const auto keys = io::Keys::load_secret(stored("secret.key", "2"), "", true);
  auto added = app::random_documents(7, 1, 2, 5);
  added[0].body = "a body of today";
  {
    auto index = app::append_to(folder / "index");
    search::add_documents(index, keys, added, {});
    index.seal();
  }
  const auto index = app::open_index(folder / "index");
  ASSERT_EQ(index.documents(), 5U);
  EXPECT_EQ(index.document(1, keys).subject, "message 1");
  EXPECT_EQ(index.body(1, keys), "the body of a message");
  EXPECT_EQ(index.body(4, keys), "a body of today");
  EXPECT_EQ(index.document(4, keys).body_bytes, 256 + io::kSealBytes);
  EXPECT_TRUE(io::Index::verify(folder / "index", false).problems.empty());
}

// Format version 2 has two kinds of tags of documents (docs/file-format.md, "Older tags"). Each kind authenticates the
// id and the subject. Only the second kind authenticates the digest of the content. Neither kind authenticates the
// place of the document in the index. Therefore a record with such a tag may be a copy of another record.
// Index::contains(), which tells whether the owner has added a content to the index, ignores such records. The tag of a
// newly added document authenticates its place. Therefore contains() finds its content.
TEST(Wire, TagsOfVersion2NameNoPlaceAndHoldNoContent) {
  namespace app = search::testing;
  for (const std::string name : {"documents-first-tags.rfd", "documents-second-tags.rfd"}) {
    const Folder folder;
    std::filesystem::create_directory(folder / "index");
    for (const char* same : {"parameters.rfp", "segment-000001.rfs", "segment-000002.open", "bodies.rfb"}) {
      std::filesystem::copy_file(stored(same), folder / (std::string("index/") + same));
    }
    std::filesystem::copy_file(stored(name), folder / "index/documents.rfd");
    const auto keys = io::Keys::load_secret(stored("secret.key"), "", true);
    auto index = app::append_to(folder / "index");
    const std::vector<u32> all = {0, 1, 2, 3};
    for (const auto& document : index.read_documents(all, keys)) {
      EXPECT_FALSE(document.added_by_owner) << name << document.number;
      EXPECT_TRUE(document.has_unplaced_tag) << name << document.number;
      EXPECT_EQ(document.message_id, "<" + std::to_string(document.number % 3) + "@example.org>");
    }
    auto added = app::random_documents(7, 1, 2, 5);
    added[0].content.fill(2);  // the digest of document 2 in documents-second-tags.rfd
    const std::vector<io::ContentDigest> asked = {added[0].content, {}};
    EXPECT_EQ(index.contains(asked, keys), (std::vector<bool>{false, false})) << name;
    search::add_documents(index, keys, added, {});
    EXPECT_EQ(index.contains(asked, keys), (std::vector<bool>{true, false})) << name;
    EXPECT_TRUE(index.document(4, keys).added_by_owner && !index.document(4, keys).has_unplaced_tag) << name;
    EXPECT_EQ(index.body(1, keys), "the body of a message");
  }
}

// In version 3, the key id is a hash of all public parts. Therefore no part can be exchanged. In version 2, it is a
// hash of the X25519 public key alone. Therefore the key id is wrong if somebody changes the version from 3 to 2.
TEST(Wire, NoPartOfPublicKeysCanBeExchanged) {
  const std::size_t fields = io::kHeaderBytes + io::kProfileBytes;
  for (const auto& sample : make_samples()) {
    if (sample.name != "public.key") continue;
    ASSERT_EQ(sample.bytes[8], 3);
    for (const std::size_t at :
         {fields, fields + 31, fields + 32, fields + 63, fields + 64, fields + 95, fields + 96, fields + 150}) {
      for (const u8 version : {u8{2}, u8{3}}) {
        auto bytes = sample.bytes;
        bytes[8] = version;
        bytes[at] = static_cast<u8>(bytes[at] ^ 1U);
        fuzz::mend_object(bytes);
        const auto keys = io::decode_public_keys(bytes);
        ASSERT_FALSE(keys.ok()) << "byte " << at;
        EXPECT_EQ(keys.failure().code, Code::io_digest) << "byte " << at << ": " << keys.failure().problem;
      }
    }
  }
}

TEST(Wire, OwnerAndSenderSeeOneFingerprintOfAllPublicParts) {
  namespace app = search::testing;
  const Folder folder;
  const auto keys = app::make_keys(app::tiny(), 8);
  keys.save_secret(folder / "secret.key", "");
  keys.save_public(folder / "public.key");
  EXPECT_EQ(io::Keys::load_secret(folder / "secret.key", "", true).fingerprint(), keys.fingerprint());
  EXPECT_EQ(io::Keys::load_public(folder / "public.key", true).fingerprint(), keys.fingerprint());
}

// An attacker who forwards public keys can change every field of their profile. Each change must change the
// fingerprint.
TEST(Wire, TheFingerprintCoversEveryFieldOfTheProfile) {
  const auto keys = search::testing::make_keys(search::testing::tiny(), 32);
  const std::vector<std::function<void(io::Profile&)>> changes = {
      [](io::Profile& p) { p.parameters.name = "other"; },
      [](io::Profile& p) { p.parameters.public_key_allowed = !p.parameters.public_key_allowed; },
      [](io::Profile& p) { p.parameters.literal_allowed = !p.parameters.literal_allowed; },
      [](io::Profile& p) { p.parameters.insecure_reason += "?"; },
      [](io::Profile& p) { p.parameters.failure_bits += 1; },
      [](io::Profile& p) { p.parameters.base_bits += 1; },
      [](io::Profile& p) { p.hash_bits = 8; },
      [](io::Profile& p) { p.constant_weight = !p.constant_weight; },
  };
  for (const auto& change : changes) {
    auto state = std::make_unique<io::Keys::State>(keys.profile(), keys.context());
    state->box_public = keys.state().box_public;
    state->others = keys.state().others;
    EXPECT_EQ(io::fingerprint_of(*state), keys.fingerprint());
    change(state->profile);
    EXPECT_NE(io::fingerprint_of(*state), keys.fingerprint());
    EXPECT_FALSE(io::is_same(state->profile, keys.profile()));
  }
}

// The strength of a sealed key is the cost of turning the passphrase into a key. A hostile file could demand a high
// cost.
TEST(Wire, AStrengthAboveTheReadersLimitIsRefusedBeforeItIsPaid) {
  for (const auto& sample : make_samples()) {
    if (sample.name != "sealed.key") continue;
    auto bytes = sample.bytes;
    bytes[io::kHeaderBytes + io::kProfileBytes] = 2;
    fuzz::mend_object(bytes);
    const auto keys = io::decode_secret_keys(bytes, kSamplePassphrase);
    ASSERT_FALSE(keys.ok());
    EXPECT_EQ(keys.failure().code, Code::io_limit);
    EXPECT_NE(keys.failure().fix.find("most_strength=2"), std::string::npos) << keys.failure().fix;
    EXPECT_EQ(io::decode_secret_keys(sample.bytes, kSamplePassphrase, {.strength = 0}).ok(), true);
  }
}

TEST(Wire, AFileOfAnotherVersionSaysWhatToDo) {
  for (const auto& sample : make_samples()) {
    for (const u8 version : {u8{1}, static_cast<u8>(sample.bytes[8] + 1)}) {
      auto bytes = sample.bytes;
      bytes[8] = version;
      fuzz::put_crc(bytes, 0, io::kHeaderBytes - 4);
      const auto refused = decode_sample(sample.name, bytes);
      ASSERT_TRUE(refused.has_value()) << sample.name;
      EXPECT_EQ(refused->code, Code::io_version) << sample.name;
      EXPECT_NE(refused->fix.find(version == 1 ? "again" : "update"), std::string::npos)
          << sample.name << ": " << refused->fix;
    }
  }
}

TEST(Wire, InspectShowsTheSameIdForAnIndexAndItsAnswers) {
  const Folder folder;
  std::vector<std::string> ids;
  for (const auto& sample : make_samples()) {
    write_all(folder / sample.name, sample.bytes);
    for (const auto& [name, value] : io::inspect(folder / sample.name)) {
      if (name == "index_id") ids.push_back(value);
      EXPECT_TRUE(name != "format_version" || value == std::to_string(sample.bytes[8])) << sample.name;
    }
  }
  ASSERT_EQ(ids.size(), 3U);  // one id in each of parameters.rfp, counts.rfa and total.rfa
  EXPECT_EQ(ids[0].size(), 32U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[2]);
}

TEST(Wire, ASampleIsRefusedAsEveryOtherType) {
  const auto samples = make_samples();
  for (const auto& sample : samples) {
    for (const auto& other : samples) {
      const bool same_type = sample.bytes[10] == other.bytes[10];
      if (same_type) continue;
      const auto refused = decode_sample(other.name, sample.bytes);
      ASSERT_TRUE(refused.has_value()) << sample.name << " as " << other.name;
      const bool coded =
          refused->code == Code::io_type || (sample.name.ends_with(".key") && refused->code == Code::secret_refused);
      EXPECT_TRUE(coded) << sample.name << " as " << other.name << ": " << refused->problem;
    }
  }
}

TEST(Wire, APassphraseIsNeededAndMustBeRight) {
  for (const auto& sample : make_samples()) {
    if (sample.name != "sealed.key") continue;
    EXPECT_EQ(io::decode_secret_keys(sample.bytes, "").failure().code, Code::passphrase);
    EXPECT_EQ(io::decode_secret_keys(sample.bytes, "open barley").failure().code, Code::passphrase);
    EXPECT_TRUE(io::decode_secret_keys(sample.bytes, kSamplePassphrase).ok());
  }
}

// Without a passphrase, the fields strength, salt, nonce and tag have no meaning. They must be zero.
TEST(Wire, AnEnvelopeWithoutAPassphraseIsZero) {
  const std::size_t lock = io::kHeaderBytes + io::kProfileBytes;
  for (const auto& sample : make_samples()) {
    if (sample.name != "secret.key") continue;
    const std::size_t tag = sample.bytes.size() - io::kTrailerBytes - 16;
    for (const std::size_t at : {lock, lock + 4, lock + 19, lock + 20, lock + 43, tag, tag + 15}) {
      auto bytes = sample.bytes;
      bytes[at] = 1;
      fuzz::mend_object(bytes);
      const auto keys = io::decode_secret_keys(bytes, "");
      ASSERT_FALSE(keys.ok()) << "byte " << at;
      EXPECT_EQ(keys.failure().code, Code::io_range) << "byte " << at;
    }
  }
}

TEST(Keys, ThatWereMovedFromAreRefused) {
  choose_seed(32);
  const Folder folder;
  auto keys = search::testing::make_keys(search::testing::tiny(), 32);
  const auto moved = std::move(keys);
  const std::vector<std::function<void()>> uses = {
      [&] { (void)search::make_query(keys, "word"); },
      [&] { (void)keys.profile(); },
      [&] { (void)keys.secret_key(); },
      [&] { (void)keys.fingerprint(); },
      [&] { keys.save_secret(folder / "s", ""); },
      [&] { keys.save_public(folder / "p"); },
      [&] { io::Index::create(folder / "index", keys); },
  };
  for (const auto& use : uses) expect_refused(Code::invalid_argument, use, "moved");
  keys = search::testing::make_keys(search::testing::tiny(), 32);
  EXPECT_NE(keys.secret_key(), nullptr);
}

TEST(Wire, NothingIsWrittenThatItsReaderWouldRefuse) {
  choose_seed(33);
  const Folder folder;
  const auto keys = search::testing::make_keys(search::testing::tiny(), 32);
  io::Query query = search::make_query(keys, "word");
  query.pattern |= u64{1} << 40;
  expect_refused(Code::invalid_argument, [&] { io::save_query(folder / "query", query); }, "make_query");
  search::testing::make_index(folder / "index", keys, search::testing::random_documents(3, 2, 2, 5));
  auto server = search::testing::serve(folder / "index");
  const auto good = server.search(search::make_query(keys, "word1"), {});
  io::save_answer(folder / "answer", good);
  EXPECT_EQ(io::load_answer(folder / "answer").answers.size(), good.answers.size());
  const std::vector<std::pair<Code, std::function<void(io::AnswerFile&)>>> changes = {
      {Code::invalid_argument, [](io::AnswerFile& a) { a.answers[0].plan.c0_bits = 70; }},
      {Code::io_length, [](io::AnswerFile& a) { a.answers[0].c0 = {1, 2}; }},
      {Code::invalid_argument, [](io::AnswerFile& a) { a.answers.push_back(a.answers[0]); }},
      {Code::invalid_argument, [](io::AnswerFile& a) { a.documents = 0; }},
  };
  for (const auto& [code, change] : changes) {
    auto answer = good;
    change(answer);
    EXPECT_EQ(refusal([&] { io::save_answer(folder / "odd", answer); }).code(), code);
    EXPECT_FALSE(std::filesystem::exists(folder / "odd"));
  }
}

// A function for another type of file refuses a file of secret keys before it reads the secret. Therefore no copy of
// the secret stays in freed memory.
TEST(SecretKeySets, AreNotReadByWhoWantsAnotherFile) {
  choose_seed(31);
  const Folder folder;
  std::array<u8, 16> complemented{};
  search::testing::make_keys(search::testing::tiny(1024), 32).save_secret(folder / "secret", "");
  const int file = ::open((folder / "secret").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::pread(file, complemented.data(), complemented.size(), io::kHeaderBytes + io::kProfileBytes + 44 + 64),
            16);
  ::close(file);
  for (u8& byte : complemented) byte = static_cast<u8>(~byte);
  const std::vector<std::pair<std::string, std::function<void()>>> readers = {
      {"load_public", [&] { (void)io::Keys::load_public(folder / "secret", true); }},
      {"load_query", [&] { (void)io::load_query(folder / "secret"); }},
      {"load_answer", [&] { (void)io::load_answer(folder / "secret"); }},
  };
  for (const auto& [name, read] : readers) {
    expect_refused(Code::secret_refused, read, "secret keys");
    EXPECT_EQ(occurrences_in_memory(complemented), 0U) << name;
  }
  EXPECT_EQ(io::inspect(folder / "secret")[0].second, "secret keys");
  EXPECT_EQ(occurrences_in_memory(complemented), 0U) << "inspect";
  EXPECT_NE(io::Keys::load_secret(folder / "secret", "", true).secret_key(), nullptr);
  EXPECT_EQ(occurrences_in_memory(complemented), 0U) << "load_secret";
}

TEST(Wire, KeysAreLimitedBeforeTheyAreReadAndAfterTheirHeader) {
  const Folder folder;
  const auto code_of = [&](bool secret) {
    try {
      if (secret) static_cast<void>(io::Keys::load_secret(folder / "keys", "", true));
      if (!secret) static_cast<void>(io::Keys::load_public(folder / "keys", true));
    } catch (const Error& error) { return error.code(); }
    return Code::internal;
  };
  for (const auto& sample : make_samples()) {
    if (sample.name != "secret.key" && sample.name != "public.key") continue;
    write_all(folder / "keys", sample.bytes);
    std::filesystem::resize_file(folder / "keys", io::kKeyLimit + 1);
    EXPECT_EQ(code_of(sample.name == "secret.key"), Code::io_limit) << sample.name;
  }
  write_all(folder / "keys", {'n', 'o', ' ', 'k', 'e', 'y'});
  EXPECT_EQ(code_of(true), Code::io_truncated);
  std::filesystem::resize_file(folder / "keys", std::uint64_t{3} << 30);  // makes a sparse file
  EXPECT_EQ(code_of(true), Code::io_magic);
  EXPECT_EQ(code_of(false), Code::io_magic);
}

}  // namespace
}  // namespace ringfort::testing
