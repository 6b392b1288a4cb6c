// SPDX-License-Identifier: Apache-2.0
// Compares hashes and patterns of words with known answers from Python. The hashes are the first eight bytes, in
// little-endian order, of hashlib.blake2b(bytes([len(field)]) + field + word, digest_size=16, key=bytes(range(32))). A
// pattern is the bits of a word with which a query is compared. Patterns of constant weight have exactly eight ones.
// They come from combinatorial unranking with math.comb: the hash selects a number, and this number selects the
// pattern.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "ringfort/error.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

std::vector<std::uint8_t> counting_key() {
  std::vector<std::uint8_t> key(32);
  for (std::uint8_t i = 0; i < 32; ++i) key[i] = i;
  return key;
}

TEST(Hash, WordsAndFieldsMeetHashlib) {
  const auto key = counting_key();
  EXPECT_EQ(hash_word(key, "computer"), 0xc84deb6ed2e2d175U);
  EXPECT_EQ(hash_word(key, "subject:invoice"), 0xc0b0568f2178c0a5U);
  EXPECT_EQ(hash_word(key,
                      "stra\xc3\x9f"
                      "e"),
            0xe6e460bf21abe734U);
  EXPECT_EQ(hash_word(key, "a"), 0xcbce1ba575383535U);
  EXPECT_THROW(static_cast<void>(hash_word(key, "")), Error);
  for (const std::size_t bytes : {0U, 1U, 31U, 33U, 64U, 65U}) {
    EXPECT_THROW(static_cast<void>(hash_word(std::vector<std::uint8_t>(bytes, 1), "a")), Error)
        << "a key of " << bytes << " bytes";
  }
}

TEST(Hash, ConstantWeightPatternsMeetUnrankingInPython) {
  EXPECT_EQ(constant_weight(0), 0xFFU);
  EXPECT_EQ(constant_weight(1), 0x17FU);
  EXPECT_EQ(constant_weight(8), 0x1FEU);
  EXPECT_EQ(constant_weight(9), 0x27FU);
  EXPECT_EQ(constant_weight(12345678), 0x124822500U);
  EXPECT_EQ(constant_weight(4426165367), 0xFF00000000000000U);
  EXPECT_EQ(constant_weight(4426165368), 0xFFU);
  EXPECT_EQ(constant_weight(~std::uint64_t{0}), 0x300140000010224U);
}

TEST(Hash, EveryConstantWeightPatternHasEightBitsAndRanksAscend) {
  std::uint64_t previous = 0;
  for (std::uint64_t rank = 0; rank < 100000; ++rank) {
    const std::uint64_t pattern = constant_weight(rank);
    ASSERT_EQ(std::popcount(pattern), 8) << rank;
    ASSERT_GT(pattern, previous) << rank;  // in colexicographic order, the patterns ascend as numbers
    previous = pattern;
  }
}

TEST(Hash, PatternsKeepTheProfilesBits) {
  choose_seed(1);
  const auto key = counting_key();
  io::Profile profile;
  for (const std::uint32_t bits : {8U, 12U, 32U, 63U, 64U}) {
    profile.hash_bits = bits;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    EXPECT_EQ(pattern_of(profile, key, "computer"), 0xc84deb6ed2e2d175U & mask) << bits;
  }
  profile.hash_bits = 64;
  profile.constant_weight = true;
  EXPECT_EQ(pattern_of(profile, key, "computer"), 0x14093024000000U);
}

}  // namespace
}  // namespace ringfort::search::testing
