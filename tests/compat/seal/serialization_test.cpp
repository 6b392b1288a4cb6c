// SPDX-License-Identifier: Apache-2.0
// Tests headers of saved objects, streams that end or fail, and the random generators of SEAL's interface.
#include <gtest/gtest.h>

#include <random>

#include "compat/seal/bytes.h"
#include "seal/modulus.h"
#include "seal/randomtostd.h"
#include "seal/util/hash.h"

namespace ringfort::testing {
namespace {

using namespace seal;

TEST(SealSerialization, HeaderHasSixteenBytes) {
  const std::string bytes = saved(Modulus(97));
  EXPECT_EQ(hex(bytes), "5ea110040100000018000000000000006100000000000000");
  Serialization::SEALHeader header;
  EXPECT_EQ(Serialization::LoadHeader(bytes_of(bytes), bytes.size(), header), 16);
  EXPECT_TRUE(Serialization::IsValidHeader(header));
  EXPECT_EQ(header.size, 24u);
  EXPECT_EQ(header.magic, 0xA15E);
}

TEST(SealSerialization, BytesOfOtherVersionsAndUnknownModesAreRefused) {
  const std::string bytes = saved(Modulus(97));
  EXPECT_FALSE(Serialization::IsSupportedComprMode(std::uint8_t{3}));
  for (const auto& [at, value] : {std::pair{0, 0}, {2, 17}, {3, 2}, {3, 5}, {4, 9}, {5, 1}, {5, 2}, {5, 3}}) {
    std::string changed = bytes;
    changed[static_cast<std::size_t>(at)] = static_cast<char>(value);
    Modulus loaded(5);
    EXPECT_THROW(loaded.load(bytes_of(changed), changed.size()), std::logic_error) << at;
    EXPECT_EQ(loaded.value(), 5u);
  }
  std::ostringstream stream;
  EXPECT_THROW(Modulus(97).save(stream, static_cast<compr_mode_type>(3)), std::invalid_argument);
}

TEST(SealSerialization, HeadersOfVersion34AreRead) {
  legacy_headers::SEALHeader_3_4 legacy;
  legacy.size = 24;
  std::string bytes(reinterpret_cast<const char*>(&legacy), 16);
  bytes += saved(Modulus(97)).substr(16);
  Modulus loaded;
  EXPECT_EQ(loaded.load(bytes_of(bytes), bytes.size()), 24);
  EXPECT_EQ(loaded.value(), 97u);
  bytes[0] = 0;
  EXPECT_THROW(loaded.load(bytes_of(bytes), bytes.size()), std::logic_error);
}

TEST(SealSerialization, ASizeThatIsNotThatOfTheMembersIsRefused) {
  const std::string bytes = saved(Modulus(97));
  for (const int size : {0, 15, 16, 23, 25, 200}) {
    std::string changed = bytes + std::string(200, 'x');
    changed[8] = static_cast<char>(size);
    Modulus loaded;
    EXPECT_THROW(loaded.load(bytes_of(changed), changed.size()), std::logic_error) << size;
    std::istringstream stream(changed);
    EXPECT_THROW(loaded.load(stream), std::logic_error) << size;
  }
  std::string endless = bytes;
  endless[14] = 0x7f;  // 2^55 bytes and more: memory is taken only for bytes that are there
  Modulus loaded;
  std::istringstream stream(endless);
  EXPECT_THROW(loaded.load(stream), std::runtime_error);
}

TEST(SealSerialization, BuffersAndStreamsThatFailKeepTheirSettings) {
  const Modulus modulus(97);
  std::vector<seal_byte> buffer(23);
  EXPECT_THROW(modulus.save(buffer.data(), buffer.size()), std::runtime_error);
  EXPECT_THROW(modulus.save(buffer.data(), 15), std::invalid_argument);
  EXPECT_THROW(modulus.save(nullptr, 24), std::invalid_argument);
  EXPECT_THROW(Modulus().load(nullptr, 24), std::invalid_argument);
  std::istringstream empty;
  Modulus loaded;
  EXPECT_THROW(loaded.load(empty), std::runtime_error);
  EXPECT_EQ(empty.exceptions(), std::ios_base::goodbit);
  std::ostringstream broken;
  broken.setstate(std::ios_base::badbit);
  EXPECT_THROW(modulus.save(broken), std::runtime_error);
}

TEST(SealRandom, GeneratorsRepeatTheirStreamAndDifferFromEachOther) {
  const prng_seed_type seed{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::vector<seal_byte>> streams;
  for (const auto& factory : {std::shared_ptr<UniformRandomGeneratorFactory>(new Blake2xbPRNGFactory(seed)),
                              std::shared_ptr<UniformRandomGeneratorFactory>(new Shake256PRNGFactory(seed))}) {
    std::vector<seal_byte> once(10000), twice(10000);
    factory->create()->generate(once.size(), once.data());
    const auto again = factory->create();
    again->generate(7, twice.data());
    again->generate(twice.size() - 7, twice.data() + 7);
    EXPECT_EQ(once, twice);
    EXPECT_FALSE(std::equal(once.begin(), once.begin() + 4096, once.begin() + 4096));
    streams.push_back(once);
    EXPECT_EQ(again->seed(), seed);
    EXPECT_FALSE(factory->use_random_seed());
  }
  EXPECT_NE(streams[0], streams[1]);
  const auto fresh = UniformRandomGeneratorFactory::DefaultFactory();
  EXPECT_NE(fresh->create()->seed(), fresh->create()->seed());
}

TEST(SealRandom, InfoMakesTheGeneratorAgain) {
  const auto generator = Blake2xbPRNGFactory({1}).create();
  const UniformRandomGeneratorInfo info = generator->info();
  const std::string bytes = saved(info);
  UniformRandomGeneratorInfo loaded;
  loaded.load(bytes_of(bytes), bytes.size());
  EXPECT_EQ(loaded, info);
  EXPECT_EQ(loaded.make_prng()->generate(), generator->generate());
  std::string changed = bytes;
  changed[16] = 9;
  EXPECT_THROW(loaded.load(bytes_of(changed), changed.size()), std::logic_error);
  EXPECT_EQ(UniformRandomGeneratorInfo().make_prng(), nullptr);
}

TEST(SealRandom, AdapterServesStandardDistributions) {
  RandomToStandardAdapter adapter(Shake256PRNGFactory({1}).create());
  std::uniform_int_distribution<int> dice(1, 6);
  std::array<int, 7> counts{};
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(dice(adapter))];
  for (int face = 1; face <= 6; ++face) EXPECT_GT(counts[static_cast<std::size_t>(face)], 800);
  EXPECT_THROW(RandomToStandardAdapter(nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace ringfort::testing
