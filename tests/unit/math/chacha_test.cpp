// SPDX-License-Identifier: Apache-2.0
// Tests every table of ChaCha20 kernels that this machine can run. There is a table for each instruction set. The
// keystreams must equal those of RFC 8439. For other counters, offsets and lengths, they must equal those of libsodium.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "math/chacha/sampler.h"
#include "support/vectors.h"
#include "usable.h"

namespace ringfort {
namespace {

using chacha::Sampler;
using testing::splitmix64;
using testing::usable;

std::vector<u8> from_hex(std::string_view hex) {
  std::vector<u8> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<u8>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Returns the stream address that has the given nonce.
StreamAddress address_of(std::span<const u8> nonce) {
  StreamAddress address;
  address.purpose = static_cast<Purpose>(nonce[0] | nonce[1] << 8);
  for (std::size_t i = 0; i < 6; ++i) address.object |= u64(nonce[2 + i]) << (8 * i);
  address.limb = static_cast<u16>(nonce[8] | nonce[9] << 8);
  address.digit = static_cast<u16>(nonce[10] | nonce[11] << 8);
  return address;
}

struct KnownStream {
  const char* where;
  std::string key, nonce;
  u32 counter;
  std::string bytes;
};

std::string rising_key() {
  std::string hex;
  for (int i = 0; i < 32; ++i) hex += std::string(1, "01"[i / 16]) + "0123456789abcdef"[i % 16];
  return hex;
}

std::vector<KnownStream> known_streams() {
  const std::string zero_key(64, '0'), zero_nonce(24, '0'), one_key = std::string(62, '0') + "01";
  return {
      {"2.3.2", rising_key(), "000000090000004a00000000", 1,
       "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
       "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
      {"2.4.2", rising_key(), "000000000000004a00000000", 1,
       "224f51f3401bd9e12fde276fb8631ded8c131f823d2c06e27e4fcaec9ef3cf78"
       "8a3b0aa372600a92b57974cded2b9334794cba40c63e34cdea212c4cf07d41b7"
       "69a6749f3f630f4122cafe28ec4dc47e26d4346d70b98c73f3e9c53ac40c5945"
       "398b6eda1a832c89c167eacd901d7e2bf363"},
      {"A.1 #1", zero_key, zero_nonce, 0,
       "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
       "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
      {"A.1 #2", zero_key, zero_nonce, 1,
       "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
       "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
      {"A.1 #3", one_key, zero_nonce, 1,
       "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
       "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
      {"A.1 #4", "00ff" + std::string(60, '0'), zero_nonce, 2,
       "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
       "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
      {"A.1 #5", zero_key, std::string(23, '0') + "2", 0,
       "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
       "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"},
  };
}

TEST(ChaCha20, GivesTheKeystreamsOfTheRfcOnEveryInstructionSet) {
  for (Isa isa : usable()) {
    for (const KnownStream& known : known_streams()) {
      const std::vector<u8> key = from_hex(known.key), nonce = from_hex(known.nonce), expected = from_hex(known.bytes);
      std::vector<u8> out(expected.size());
      Sampler(chacha::kernels_of(isa), std::span<const u8, 32>(key.data(), 32), address_of(nonce))
          .stream(known.counter, out);
      EXPECT_EQ(out, expected) << isa_name(isa) << ", RFC 8439 " << known.where;
    }
  }
}

TEST(ChaCha20, GivesTheRfcsKeystreamThroughThePublicCall) {
  for (const KnownStream& known : known_streams()) {
    const std::vector<u8> key = from_hex(known.key), nonce = from_hex(known.nonce), expected = from_hex(known.bytes);
    std::vector<u8> out(expected.size());
    chacha20_stream(std::span<const u8, 32>(key.data(), 32), address_of(nonce), known.counter, out);
    EXPECT_EQ(out, expected) << "RFC 8439 " << known.where;
  }
}

// Tries random keys, addresses and counters. The lengths are near 1, 8 and 16 blocks, which are the sizes that kernels
// process at once.
TEST(ChaCha20, AgreesWithLibsodiumOnEveryInstructionSet) {
  ASSERT_GE(sodium_init(), 0);
  std::vector<std::size_t> lengths = {0, 1, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 5000, 32768};
  for (u64 i = 0; i < 200; ++i) lengths.push_back(splitmix64(i) % 4000);
  for (Isa isa : usable()) {
    for (std::size_t trial = 0; trial < lengths.size(); ++trial) {
      std::array<u8, 32> key;
      std::array<u8, 12> nonce;
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<u8>(splitmix64(1000 * trial + i));
      for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<u8>(splitmix64(1000 * trial + 100 + i));
      const u32 counter = trial % 3 == 0 ? 0 : static_cast<u32>(splitmix64(~trial)) >> 1;
      std::vector<u8> expected(lengths[trial] + 1, 0), out(lengths[trial] + 1, 0xEE);
      crypto_stream_chacha20_ietf_xor_ic(expected.data(), expected.data(), lengths[trial], nonce.data(), counter,
                                         key.data());
      Sampler(chacha::kernels_of(isa), key, address_of(nonce)).stream(counter, std::span(out).first(lengths[trial]));
      EXPECT_EQ(out.back(), 0xEE) << "a byte past the end was written";
      out.back() = 0;
      ASSERT_EQ(out, expected) << isa_name(isa) << ", trial " << trial << ", " << lengths[trial] << " bytes, counter "
                               << counter;
    }
  }
}

TEST(ChaCha20, TheLastBlockOfTheCounterIsReached) {
  const std::array<u8, 32> key{};
  const std::array<u8, 12> nonce{};
  std::vector<u8> expected(64, 0);
  crypto_stream_chacha20_ietf_xor_ic(expected.data(), expected.data(), 64, nonce.data(), ~u32(0), key.data());
  for (Isa isa : usable()) {
    std::vector<u8> out(64);
    Sampler(chacha::kernels_of(isa), key, address_of(nonce)).stream(~u32(0), out);
    EXPECT_EQ(out, expected) << isa_name(isa);
  }
}

TEST(StreamAddress, EveryFieldChangesTheStream) {
  const std::array<u8, 32> key{};
  const StreamAddress base{Purpose::uniform_a, 5, 6, 7};
  std::vector<StreamAddress> addresses(5, base);
  addresses[1].purpose = Purpose::error_0;
  addresses[2].object = u64(1) << 47;
  addresses[3].limb = 0x8000;
  addresses[4].digit = 0x8000;
  std::vector<std::vector<u8>> streams;
  for (const StreamAddress& address : addresses) {
    streams.emplace_back(32);
    chacha20_stream(key, address, 0, streams.back());
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(streams[i], streams[j]) << i << " and " << j;
  }
}

}  // namespace
}  // namespace ringfort
