// SPDX-License-Identifier: Apache-2.0
// Tests that Ring-GSW and the word search take constant time (secrets.h): in key generation, in encryption of bits
// under both keys, in decryption, in counts of a search, in tags by which an owner recognizes records, in packing a
// secret key, and in computing a word's bits from its hash.
#include "backend/host.h"
#include "constant_time/secrets.h"
#include "io/documents.h"
#include "io/envelope.h"
#include "ringfort/search.h"
#include "scheme/rgsw/wire.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using ringfort::testing::follows_other_libraries;
using ringfort::testing::hide;
using ringfort::testing::hide_all;
using ringfort::testing::is_hidden;
using ringfort::testing::show;
using ringfort::testing::show_all;
using RgswOnSecrets = ringfort::testing::OnSecrets;
using TagsOnSecrets = ringfort::testing::OnSecrets;
using WordsOnSecrets = ringfort::testing::OnSecrets;

TEST_F(RgswOnSecrets, KeysBitsAndTheirDecryption) {
  const Context context(testing::tiny(256));
  const KeyGenerator keys(context);
  const SecretKey& key = keys.secret_key();
  ASSERT_TRUE(is_hidden(key.state()->secret.coefficients.data(), 1));
  const PublicKey open = keys.create_public_key();
  const std::vector<u8> plain = {0, 1, 1, 0};
  std::vector<u8> bits = plain;
  hide_all(bits);
  for (const EncryptedBits& encrypted :
       {Encryptor(context, key).encrypt(bits), Encryptor(context, open).encrypt(bits)}) {
    std::vector<u8> out = Decryptor(context, key).decrypt(encrypted);
    EXPECT_TRUE(is_hidden(out.data(), 1));
    show_all(out);
    EXPECT_EQ(out, plain);
  }
}

TEST_F(RgswOnSecrets, KeysPackedForFilesAndRead) {
  const Context context(testing::tiny(256));
  const KeyGenerator keys(context);
  const SecretKey& key = keys.secret_key();
  Secret<u8> packed(io::ternary_bytes(256));
  io::put_ternary(secret_coefficients(key), packed.span());
  ASSERT_TRUE(is_hidden(packed.data(), 1));
  const Secret<i8> taken = io::take_ternary(packed.span(), 256);
  const SecretKey read = import_secret_key(context, taken.span()).take();
  const std::vector<u8> plain = {1, 0};
  std::vector<u8> out = Decryptor(context, read).decrypt(Encryptor(context, keys.create_public_key()).encrypt(plain));
  show_all(out);
  EXPECT_EQ(out, plain);
}

TEST_F(RgswOnSecrets, CountsOfASearch) {
  const Parameters p = testing::tiny(256);
  const Context context(p);
  const KeyGenerator keys(context);
  const std::vector<u8> bits = {0, 1, 1, 0};
  const std::vector<PatternBit> pattern = {{0, false}, {1, true}, {2, true}, {3, false}};
  const SearchEvaluator evaluator(context);
  MatchSum sum(context, plan_search(p, Mode::secret_key, 2, 2, 4, 4));
  for (int i = 0; i < 2; ++i) {
    EncryptedBits word = Encryptor(context, keys.secret_key()).encrypt(bits);
    host::Buffer& rows = *host::buffer_of(word.state().rows.all().view().buffer);
    show(rows.data(), rows.bytes);  // the server sees ciphertexts
    evaluator.add_match(sum, {&word, 0, 3}, pattern);
  }
  std::vector<u32> counts = Decryptor(context, keys.secret_key()).decrypt_counts(evaluator.make_answer(sum));
  EXPECT_TRUE(is_hidden(counts.data(), 1));
  show_all(counts);
  EXPECT_EQ(counts[3], 2u);
  EXPECT_EQ(counts[0], 0u);
}

TEST_F(TagsOnSecrets, AreMadeAndComparedWithoutABranch) {
  const Context context(testing::tiny(256));
  io::Profile profile;
  profile.parameters = context.parameters();
  io::Keys::State keys(profile, context);
  io::IndexId index{};
  io::ContentDigest content{};
  content.fill(3);
  keys.box_secret = Secret<u8>(32);
  std::fill_n(keys.box_secret.data(), 32, u8{7});
  const io::Owner owner{keys, index};
  const io::DocumentRecord record{.number = 3, .words = 2, .words_to_here = 9, .body_offset = 500};
  const auto tagged = [&] {
    io::Titles titles = io::titles_of("<1@x>", "hello", true);
    io::set_tag(titles, record, content, owner);
    return titles;
  };
  const io::Titles wanted = tagged();
  hide(keys.box_secret.data(), 32);
  io::Titles titles = tagged();
  EXPECT_EQ(is_hidden(titles.mark.data(), 1), follows_other_libraries());  // libsodium computes BLAKE2b
  EXPECT_EQ(is_hidden(titles.tag.data(), 1), follows_other_libraries());
  // Tells three things: whether the tag is the owner's, whether the tag is one of version 2, and whether the content
  // has the record's mark.
  const auto said = [&] {
    const std::array<io::ContentMark, 3> marks = {io::ContentMark{1}, io::owner_mark(titles, record, owner), {}};
    std::array<bool, 3> found = {io::is_own(titles, record, owner), io::has_version_2_tag(titles, owner),
                                 io::is_among(io::mark_of(content, owner), marks)};
    show_all(found);
    return found;
  };
  EXPECT_EQ(said(), (std::array<bool, 3>{true, false, true}));
  titles.tag[0] = static_cast<u8>(titles.tag[0] ^ 1U);
  EXPECT_EQ(said(), (std::array<bool, 3>{false, false, false}));
  show_all(titles.mark);
  show_all(titles.tag);
  show(keys.box_secret.data(), 32);
  EXPECT_EQ(titles.mark, wanted.mark);
}

TEST_F(WordsOnSecrets, FromAHashToThePattern) {
  u64 hash = 0x123456789ABCDEF;
  const u64 wanted = search::constant_weight(hash);
  hide(&hash, sizeof hash);
  u64 pattern = search::constant_weight(hash);
  EXPECT_TRUE(is_hidden(&pattern, sizeof pattern));
  show(&pattern, sizeof pattern);
  show(&hash, sizeof hash);
  EXPECT_EQ(pattern, wanted);
}

}  // namespace
}  // namespace ringfort::rgsw
