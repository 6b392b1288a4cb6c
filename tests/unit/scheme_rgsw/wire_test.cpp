// SPDX-License-Identifier: Apache-2.0
// Tests the conversion of Ring-GSW objects to the numbers that files store. Ciphertexts, keys and answers must come
// back unchanged, and numbers out of range must be refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "ringfort/error.h"
#include "scheme/rgsw/state.h"
#include "scheme/rgsw/wire.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

constexpr Mode kModes[] = {Mode::secret_key, Mode::public_key};

std::vector<u64> exported(Client& client, const EncryptedBits& bits) {
  std::vector<u64> words(bits.size() * exported_words(client.context.parameters(), bits.mode()));
  export_bits(bits, words);
  return words;
}

// An index recognizes copies by the marks of encrypted bits. The mark must be derived from the whole seed of the bit.
// With only a part of the seed, a stranger could choose seeds that make words of other people look like copies.
TEST(BitMarks, DependOnEveryByteOfTheSeedAndOnTheIndex) {
  const PublicSeed seed{};
  EXPECT_EQ(mark_of(seed, 7), mark_of(PublicSeed{}, 7));
  std::vector<BitMark> marks = {mark_of(seed, 0), mark_of(seed, 1)};
  for (std::size_t i = 0; i < sizeof seed.bytes; ++i) {
    PublicSeed other{};
    other.bytes[i] = 1;
    marks.push_back(mark_of(other, 0));
    marks.push_back(mark_of(other, 1));
  }
  std::sort(marks.begin(), marks.end());
  EXPECT_EQ(std::adjacent_find(marks.begin(), marks.end()), marks.end());
}

TEST(RgswWire, ImportedBitsAreTheExportedOnes) {
  for (const Mode mode : kModes) {
    testing::choose_seed(61);
    Client client(testing::tiny(), mode);
    const std::vector<u8> plain = {1, 0, 1, 1};
    const EncryptedBits bits = client.encrypt(plain);
    const std::vector<u64> words = exported(client, bits);
    EncryptedBits back;
    const std::vector<u32> all = {0, 1, 2, 3};
    ASSERT_TRUE(import_bits(back, client.context, {mode, public_seed(bits), all, words}).ok());
    EXPECT_EQ(client.decrypt(back), plain);
    EXPECT_EQ(exported(client, back), words);
    const std::size_t each = exported_words(client.context.parameters(), mode);
    const std::vector<u64> third(words.begin() + 2 * static_cast<std::ptrdiff_t>(each),
                                 words.begin() + 3 * static_cast<std::ptrdiff_t>(each));
    ASSERT_TRUE(import_bits(back, client.context, {mode, public_seed(bits), std::vector<u32>{2}, third}).ok());
    EXPECT_EQ(client.decrypt(back), std::vector<u8>{1}) << "a selected bit must be imported under its own number";
  }
}

TEST(RgswWire, ResiduesAndLengthsOutsideTheirRangesAreRefusedAndLeaveNothing) {
  for (const Mode mode : kModes) {
    testing::choose_seed(62);
    Client client(testing::tiny(), mode);
    EncryptedBits bits = client.encrypt(std::vector<u8>{1});
    const PublicSeed seed = public_seed(bits);
    const std::vector<u64> words = exported(client, bits);
    const std::vector<u32> first = {0};
    const auto code = [&](std::span<const u64> residues, Mode as) {
      const auto result = import_bits(bits, client.context, {as, seed, first, residues});
      EXPECT_FALSE(result.ok());
      EXPECT_EQ(bits.size(), 0u);
      return result.ok() ? Code::internal : result.failure().code;
    };
    for (const std::size_t at : {std::size_t{0}, words.size() - 1}) {
      for (const u64 value : {client.context.parameters().q, ~u64{0}}) {
        std::vector<u64> wrong = words;
        wrong[at] = value;
        EXPECT_EQ(code(wrong, mode), Code::io_range);
      }
    }
    EXPECT_EQ(code(std::span(words).first(words.size() - 1), mode), Code::io_length);
    EXPECT_EQ(code({}, mode), Code::io_length);
    EXPECT_EQ(code(words, static_cast<Mode>(7)), Code::io_range);
  }
  Client compact(preset("gsw128-compact"), Mode::secret_key);
  EncryptedBits bits;
  EXPECT_EQ(import_bits(bits, compact.context, {Mode::public_key, {}, {}, {}}).failure().code, Code::mode_forbidden);
}

TEST(RgswWire, ResultsOfOperationsAreNotExported) {
  testing::choose_seed(63);
  Client client(testing::tiny(), Mode::secret_key);
  const EncryptedBits a = client.encrypt(std::vector<u8>{1});
  const EncryptedBits sum = client.evaluator.one_minus(a);
  try {
    (void)exported(client, sum);
    FAIL();
  } catch (const Error& e) { EXPECT_EQ(e.code(), Code::unsupported); }
}

TEST(RgswWire, KeysComeBackAndOnlyTernaryOnesComeIn) {
  testing::choose_seed(64);
  Client client(testing::tiny(), Mode::public_key);
  const auto coefficients = secret_coefficients(client.keys.secret_key());
  std::vector<i8> copy(coefficients.begin(), coefficients.end());
  const SecretKey again = import_secret_key(client.context, copy).take();
  const PublicKey open =
      import_public_key(client.context, public_seed(*client.open), public_residues(*client.open)).take();
  const std::vector<u8> plain = {1, 0};
  EXPECT_EQ(Decryptor(client.context, again).decrypt(Encryptor(client.context, open).encrypt(plain)), plain);
  for (const int wrong : {2, -2, 127, -128}) {
    copy[5] = static_cast<i8>(wrong);
    EXPECT_EQ(import_secret_key(client.context, copy).failure().code, Code::io_range) << wrong;
  }
  copy.resize(31);
  EXPECT_EQ(import_secret_key(client.context, copy).failure().code, Code::io_length);
  std::vector<u64> b = public_residues(*client.open);
  b.back() = client.context.parameters().q;
  EXPECT_EQ(import_public_key(client.context, {}, b).failure().code, Code::io_range);
  b.pop_back();
  EXPECT_EQ(import_public_key(client.context, {}, b).failure().code, Code::io_length);
}

Answer some_answer(Client& client) {
  const SearchPlan plan = plan_search(client.context.parameters(), client.mode, 4, 4, 3, 16);
  MatchSum total(client.context, plan);
  for (u32 document : {0u, 2u, 2u}) {
    const EncryptedBits bits = client.encrypt(std::vector<u8>{1, 1, 1});
    client.search.add_match(total, {&bits, 0, document}, testing::pattern(7, 3));
  }
  return client.search.make_answer(total);
}

TEST(RgswWire, AnswersAreCheckedFieldByField) {
  testing::choose_seed(65);
  Client client(testing::tiny(), Mode::secret_key);
  const Parameters& p = client.context.parameters();
  const Answer good = some_answer(client);
  ASSERT_TRUE(check_answer(p, good).ok());
  std::vector<u32> counts(p.n);
  counts[0] = 1;
  counts[2] = 2;
  EXPECT_EQ(client.counts(good), counts);
  const auto code = [&](auto change) {
    Answer answer = good;
    change(answer);
    const auto result = check_answer(p, answer);
    EXPECT_FALSE(result.ok());
    EXPECT_THROW((void)client.counts(answer), Error);
    return result.ok() ? Code::internal : result.failure().code;
  };
  EXPECT_EQ(code([](Answer& a) { a.digest[31] ^= 1; }), Code::io_digest);
  EXPECT_EQ(code([](Answer& a) { a.c0[3] = 1u << a.plan.c0_bits; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.c1[3] = ~0u; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.c0.pop_back(); }), Code::io_length);
  EXPECT_EQ(code([](Answer& a) { a.c1.clear(); }), Code::io_length);
  EXPECT_EQ(code([](Answer& a) { a.words = a.plan.words + 1; }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([](Answer& a) { a.plan.words = u64{1} << 40; }), Code::noise_bound_exceeded);
  EXPECT_EQ(code([](Answer& a) { a.plan.count_range = 15; }), Code::invalid_argument);
  EXPECT_EQ(code([](Answer& a) { a.plan.count_range = 32; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.plan.c1_bits = 33; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.plan.steps = 0; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.plan.noise_bits -= 1; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.plan.failure_log2 = 0.0 / 0.0; }), Code::io_range);
  EXPECT_EQ(code([](Answer& a) { a.plan.mode = static_cast<Mode>(0); }), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort::rgsw
