// SPDX-License-Identifier: Apache-2.0
// Tests BLAKE2Xb against answers that were computed with libb2 0.98.1, whose BLAKE2b takes the parameters of BLAKE2X.
// The answers of 1 to 3 bytes are also the first test vectors of [Aumasson16]. Those of many blocks are from
// SEAL 4.0.0. Also tests the functions of seal/util/blake2.h.
#include "blake2xb.h"

#include <gtest/gtest.h>

#include "compat/seal/bytes.h"
#include "seal/randomgen.h"
#include "seal/util/blake2.h"
#include "seal/util/hash.h"

namespace ringfort::testing {
namespace {

// Numbers from 0 on, modulo 256.
std::vector<std::uint8_t> counted(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

std::string hashed(std::size_t size, std::size_t input, std::size_t key) {
  std::string out(size, 0);
  seal::detail::blake2xb({reinterpret_cast<std::uint8_t*>(out.data()), size}, counted(input), counted(key));
  return out;
}

TEST(Blake2xb, GivesKnownAnswers) {
  EXPECT_EQ(hex(hashed(1, 256, 0)), "f0");
  EXPECT_EQ(hex(hashed(2, 256, 0)), "b5aa");
  EXPECT_EQ(hex(hashed(3, 256, 0)), "bc38f1");
  EXPECT_EQ(
      hex(hashed(64, 256, 0)),
      "571be91037c15145e2ab4894a7bb8d8a3cab75e6e64ef296e760c15cf8f3f3acfa5c894ee56cb6ac2db9b32c39a1cc39f96c50dd333f"
      "1059230482f3ed2d9246");
  EXPECT_EQ(
      hex(hashed(65, 256, 0)),
      "c6f0b1b66f22726cef3e4fca2325d2bb4e922b39f9df5ef548d321419c07391fc311904407f98db7d7462db1e8576138baeac2a76400"
      "b2a2f72b4497c19e239430");
  EXPECT_EQ(
      hex(hashed(65, 256, 64)),
      "78f0ed6e220b3da3cc9381563b2f72c8dc830cb0f39a48c6ae479a6a78dcfa94002631dec467e9e9b47cc8f0887eb680e340aec3ec00"
      "9d4a33d241533c76c8ca8c");
  EXPECT_EQ(hex(hashed(33, 0, 64)), "c4e515c9325c516d4d97b01b9025a2431a46f39e16ad452e951b7f952b2883921a");
}

TEST(Blake2xb, OfManyBlocksGivesKnownAnswers) {
  EXPECT_EQ(hex(hashed(64 * 3 + 1, 256, 64)).substr(2 * 160),
            "a259dfb300369c4198f07341b38e84d02cdb74af5de6aab1fc2026208ea7c418c0");
  EXPECT_EQ(hex(hashed(64 * 4, 256, 64)).substr(2 * 224),
            "a63c5acc01eca5fb780c7d7c8c9fe208ae8bd50cad1769693d92c6c8649d20d8");
  EXPECT_EQ(hex(hashed(64 * 6 + 5, 256, 64)).substr(2 * 352),
            "6e4f47f86bcd7cc5545a443fcd773b1bd26cab055190b21d93386d298706c2dab2ff59e21f");
}

TEST(Blake2xb, IsTheStreamOfTheGenerator) {
  seal::prng_seed_type seed{};
  const std::vector<std::uint8_t> key = counted(64);
  std::memcpy(seed.data(), key.data(), key.size());
  const auto generator = seal::Blake2xbPRNGFactory(seed).create();
  std::string stream(2 * 4096, 0);
  generator->generate(stream.size(), reinterpret_cast<seal::seal_byte*>(stream.data()));
  std::string blocks(2 * 4096, 0);
  for (std::uint8_t block = 0; block < 2; ++block) {
    seal::detail::blake2xb({reinterpret_cast<std::uint8_t*>(blocks.data()) + 4096 * block, 4096},
                           std::vector<std::uint8_t>{block, 0, 0, 0, 0, 0, 0, 0}, key);
  }
  EXPECT_EQ(stream, blocks);
}

TEST(Blake2, OfTheHeaderIsThatOfTheStandard) {
  std::string hash(64, 0), parts = hash;
  EXPECT_EQ(blake2b(hash.data(), 64, "abc", 3, nullptr, 0), 0);
  EXPECT_EQ(hex(hash).substr(0, 32), "ba80a53f981c4d0d6a2797b69f12f6e9");  // appendix A of [Saarinen15]
  blake2b_state state;
  EXPECT_EQ(blake2b_init(&state, 64), 0);
  EXPECT_EQ(blake2b_update(&state, "a", 1), 0);
  const blake2b_state copy = state;
  EXPECT_EQ(blake2b_update(&state, "bc", 2), 0);
  EXPECT_EQ(blake2b_final(&state, parts.data(), 63), -1);
  EXPECT_EQ(blake2b_final(&state, parts.data(), 64), 0);
  EXPECT_EQ(parts, hash);
  EXPECT_EQ(blake2b_final(&state, parts.data(), 64), -1);
  EXPECT_EQ(blake2b_update(&(state = copy), "bc", 2), 0);
  EXPECT_EQ(blake2b_final(&state, parts.data(), 64), 0);
  EXPECT_EQ(parts, hash);
  EXPECT_EQ(blake2b(hash.data(), 20, "abc", 3, "key", 3), 0);
  EXPECT_EQ(blake2b_init_key(&state, 20, "key", 3) + blake2b_update(&state, "abc", 3), 0);
  EXPECT_EQ(blake2b_final(&state, parts.data(), 64), 0);
  EXPECT_EQ(parts.substr(0, 20), hash.substr(0, 20));
  EXPECT_EQ(blake2xb(hash.data(), 5, "abc", 3, nullptr, 0) + blake2(parts.data(), 5, "abc", 3, nullptr, 0), 0);
  EXPECT_EQ(parts.substr(0, 5), hash.substr(0, 5));
  for (const std::size_t length : {0, 65}) {
    EXPECT_EQ(blake2b(hash.data(), length, "abc", 3, nullptr, 0), -1);
    EXPECT_EQ(blake2b_init(&state, length), -1);
    EXPECT_EQ(blake2b(hash.data(), 3, "abc", 3, length == 0 ? nullptr : hash.data(), 65), -1);
  }
  EXPECT_EQ(blake2b(hash.data(), 3, nullptr, 3, nullptr, 0), -1);
  EXPECT_EQ(blake2xb(nullptr, 3, "abc", 3, nullptr, 0), -1);
  EXPECT_EQ(blake2xb(hash.data(), 0, "abc", 3, nullptr, 0), -1);
}

}  // namespace
}  // namespace ringfort::testing
