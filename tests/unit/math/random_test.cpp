// SPDX-License-Identifier: Apache-2.0
// Tests the samplers of uniform residues, ternary secrets and centred binomial errors. Every table of kernels must
// match the definition in math/random.h, applied to the bytes of the stream with plain division. Further tests cover
// offsets, extreme inputs of the reductions, and seeds, including failures to draw them.
#include "math/random.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "math/chacha/sampler.h"
#include "math/prime.h"
#include "ringfort/error.h"
#include "support/entropy.h"
#include "support/memory_scan.h"
#include "support/vectors.h"
#include "usable.h"

namespace ringfort {
namespace {

using chacha::Sampler;
using testing::decimal;
using testing::splitmix64;
using testing::usable;

static_assert(!std::is_convertible_v<PublicSeed, SecretSeed> && !std::is_convertible_v<SecretSeed, PublicSeed>);
static_assert(!std::is_copy_constructible_v<SecretSeed>);

const PublicSeed kSeed = [] {
  PublicSeed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i) seed.bytes[i] = static_cast<u8>(7 * i + 1);
  return seed;
}();
const StreamAddress kAddress{Purpose::error_1, 0x123456789ABC, 3, 4};

Sampler sampler(Isa isa) { return Sampler(chacha::kernels_of(isa), kSeed.bytes, kAddress); }

template <class T>
std::vector<T> stream_words(std::size_t count) {
  std::vector<u8> bytes(count * sizeof(T));
  chacha20_stream(kSeed.bytes, kAddress, 0, bytes);
  std::vector<T> words(count);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// Returns small moduli, the two ends of every length up to most_bits, and primes for transforms. Among them are moduli
// near the limits of the kernels with 52-bit products (28 and 50 bits).
std::vector<u64> moduli(u32 most_bits) {
  std::vector<u64> found = {2, 3, 97, 0x7FFE0001};
  for (u32 bits = 3; bits <= most_bits; ++bits) {
    found.push_back((u64(1) << (bits - 1)) + 1);
    found.push_back((u64(1) << bits) - 1);
  }
  for (u32 bits : {30u, 50u, 60u}) {
    for (u128 q : ntt_primes(bits, 2048, 2).value()) {
      if (bits <= most_bits) found.push_back(static_cast<u64>(q));
    }
  }
  return found;
}

template <class W>
void expect_uniform_is_the_definition(u32 most_bits) {
  constexpr std::size_t kCount = 333;  // five groups of 64 coefficients, and a remainder that ends within a block
  const std::vector<u128> words = stream_words<u128>(kCount);
  for (Isa isa : usable()) {
    for (u64 q : moduli(most_bits)) {
      std::vector<W> out(kCount);
      sampler(isa).uniform<W>(q, 0, out);
      for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(out[i], static_cast<W>(words[i] % q)) << isa_name(isa) << ", q=" << q << ", sample " << i;
      }
    }
  }
}

TEST(SampleUniform, IsTheStreamReducedOnEveryInstructionSet_64BitWords) { expect_uniform_is_the_definition<u64>(62); }

TEST(SampleUniform, IsTheStreamReducedOnEveryInstructionSet_32BitWords) { expect_uniform_is_the_definition<u32>(31); }

// tools/gen_pim_vectors made these vectors from RFC 8439 and the definition in math/random.h. The tests of hw/pim use
// the same file.
TEST(SampleUniform, MeetsVectorsMadeFromTheStandard) {
  const nlohmann::json file = testing::read_vectors("uniform_u32.json");
  for (const auto& known : file["cases"]) {
    PublicSeed seed;
    for (std::size_t i = 0; i < 8; ++i) {
      const u32 word = known["key_words"][i];
      std::memcpy(seed.bytes.data() + 4 * i, &word, 4);
    }
    const std::vector<std::vector<u32>> polynomials = known["polynomials"];
    for (std::size_t p = 0; p < polynomials.size(); ++p) {
      const u16 digit = static_cast<u16>(known["digit"].get<u32>() + p);
      std::vector<u32> out(polynomials[p].size());
      sample_uniform(seed, {Purpose::uniform_a, known["object"], known["limb"], digit}, known["q"].get<u64>(), 0, out);
      EXPECT_EQ(out, polynomials[p]) << "q=" << known["q"] << " polynomial " << p;
    }
  }
}

TEST(SampleUniform, IsTheStreamReduced_128BitWords) {
  constexpr std::size_t kCount = 101;
  const std::vector<u128> words = stream_words<u128>(2 * kCount);
  for (u128 q : {u128(97), (u128(1) << 127) - 1, (u128(1) << 89) - 1, (u128(1) << 126) + 1}) {
    std::vector<u128> out(kCount);
    sample_uniform(kSeed, kAddress, q, 0, out);
    for (std::size_t i = 0; i < kCount; ++i) {
      const u128 expected = remainder_wide<u128>({words[2 * i], words[2 * i + 1]}, q);
      ASSERT_EQ(decimal(out[i]), decimal(expected)) << "q=" << decimal(q) << ", sample " << i;
    }
  }
}

template <class Modulus, class W>
void expect_offsets_agree(Modulus q) {
  std::vector<W> whole(1000);
  sample_uniform(kSeed, kAddress, q, 0, std::span<W>(whole));
  for (u64 first : {u64(8), u64(16), u64(64), u64(120), u64(504), u64(992)}) {
    for (std::size_t length : {std::size_t(1), std::size_t(8), std::size_t(65), std::size_t(300)}) {
      if (first + length > whole.size()) continue;
      std::vector<W> part(length);
      sample_uniform(kSeed, kAddress, q, first, std::span<W>(part));
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(first)))
          << "first " << first << ", length " << length << ", words of " << sizeof(W);
    }
  }
}

TEST(SampleUniform, FromAnOffsetIsThatPartOfTheWhole) {
  expect_offsets_agree<u64, u64>(1125899906826241);  // a modulus of 50 bits uses fused kernels
  expect_offsets_agree<u64, u64>((u64(1) << 62) - 57);
  expect_offsets_agree<u64, u32>(0x7FFE0001);
  expect_offsets_agree<u128, u128>((u128(1) << 127) - 1);
}

// Returns words whose bits are all 0, all 1, a single 1, ones only at the low end, or ones only at the high end. The
// lazy bounds are tightest for such words. Random words fill the last vector.
std::vector<u64> extreme_words() {
  std::vector<u64> words = {0, ~u64(0)};
  for (u32 bit = 0; bit < 64; ++bit) {
    words.push_back(u64(1) << bit);
    words.push_back((u64(1) << bit) - 1);
    words.push_back(~((u64(1) << bit) - 1));
  }
  for (u64 i = 0; words.size() % 8 != 0; ++i) words.push_back(splitmix64(i));
  return words;
}

TEST(WideRemainder, IsRightAtTheExtremes) {
  const std::vector<u64> words = extreme_words();
  for (u64 q : moduli(62)) {
    const chacha::WideRemainder remainder(q);
    for (u64 lo : words) {
      for (u64 hi : words) {
        ASSERT_EQ(remainder(lo, hi), static_cast<u64>((u128(hi) << 64 | lo) % q))
            << "q=" << q << " hi=" << hi << " lo=" << lo;
      }
    }
  }
}

TEST(Reduce52, IsRightAtTheExtremes) {
  const auto reduce = chacha::kernels_of(machine_isa()).reduce52;
  if (reduce == nullptr) GTEST_SKIP() << "no 52-bit products on this machine";
  const std::vector<u64> words = extreme_words();
  std::vector<u64> out(words.size());
  for (u64 q : moduli(chacha::kMost52Bits)) {
    if (bit_length(q) < chacha::kLeast52Bits) continue;
    const chacha::Uniform52 constants = chacha::uniform52(q);
    for (u64 hi : words) {
      const std::vector<u64> high(words.size(), hi);
      reduce(constants, words.data(), high.data(), out.data(), words.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        ASSERT_EQ(out[i], static_cast<u64>((u128(hi) << 64 | words[i]) % q))
            << "q=" << q << " hi=" << hi << " lo=" << words[i];
      }
    }
  }
}

TEST(SampleTernary, IsTheDefinitionOnEveryInstructionSet) {
  const std::vector<u64> words = stream_words<u64>(777);
  for (Isa isa : usable()) {
    std::vector<i8> out(words.size());
    sampler(isa).ternary(out);
    for (std::size_t i = 0; i < words.size(); ++i) {
      ASSERT_EQ(out[i], static_cast<int>((u128(words[i]) * 3) >> 64) - 1) << isa_name(isa) << ", sample " << i;
    }
  }
}

TEST(SampleCbd21, IsTheDefinitionOnEveryInstructionSet) {
  const std::vector<u64> words = stream_words<u64>(777);
  for (Isa isa : usable()) {
    std::vector<i8> out(words.size());
    sampler(isa).cbd21(out);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const int expected = std::popcount(words[i] & 0x1FFFFF) - std::popcount(words[i] >> 21 & 0x1FFFFF);
      ASSERT_EQ(out[i], expected) << isa_name(isa) << ", sample " << i;
    }
  }
}

TEST(Samplers, OfNoLengthWriteNothing) {
  SecretSeed seed;
  std::vector<i8> small(1, 99);
  sample_ternary(seed, kAddress, std::span(small).first(0));
  sample_cbd21(seed, kAddress, std::span(small).first(0));
  EXPECT_EQ(small[0], 99);
}

// The test keeps the key complemented. Therefore only the memory of the seed itself may contain the key.
TEST(Samplers, LeaveNoCopyOfASecretKey) {
  std::array<u8, 32> complemented;
  for (std::size_t i = 0; i < complemented.size(); ++i) complemented[i] = static_cast<u8>(i * i * 31 + 17);
  SecretSeed seed;
  for (std::size_t i = 0; i < complemented.size(); ++i) seed.bytes().data()[i] = static_cast<u8>(~complemented[i]);
  const std::span<const u8, 32> key(seed.bytes().data(), 32);
  std::vector<i8> out(1111);
  for (Isa isa : usable()) {
    Sampler(chacha::kernels_of(isa), key, kAddress).cbd21(out);
    EXPECT_EQ(testing::occurrences_in_memory(complemented), 1u) << isa_name(isa) << ", centred binomial";
    Sampler(chacha::kernels_of(isa), key, kAddress).ternary(out);
    EXPECT_EQ(testing::occurrences_in_memory(complemented), 1u) << isa_name(isa) << ", ternary";
  }
}

TEST(FreshSeeds, DifferEachTime) {
  testing::choose_seed(1);
  const PublicSeed a = fresh_public_seed(), b = fresh_public_seed();
  EXPECT_NE(a.bytes, b.bytes);
  SecretSeed c = fresh_secret_seed();
  EXPECT_FALSE(std::equal(a.bytes.begin(), a.bytes.end(), c.bytes().data()));
  EXPECT_EQ(c.bytes().size(), 32u);
}

TEST(FreshSeeds, AFailingSourceIsACodedError) {
  testing::choose_seed(1);
  for (bool secret : {false, true}) {
    testing::fail_entropy_at(1);
    try {
      if (secret) {
        static_cast<void>(fresh_secret_seed());
      } else {
        static_cast<void>(fresh_public_seed());
      }
      ADD_FAILURE() << "nothing was thrown, secret = " << secret;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::entropy_unavailable);
      EXPECT_FALSE(error.fix().empty());
    }
    testing::fail_entropy_at(0);
  }
}

}  // namespace
}  // namespace ringfort
