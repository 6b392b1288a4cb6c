// SPDX-License-Identifier: Apache-2.0
// Tests the operating system's source of random bytes. No other test program links this source. It must fill all
// lengths, never repeat, and report failures with a code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "math/random.h"
#include "ringfort/error.h"
#include "support/fault.h"

namespace ringfort {
namespace {

TEST(FillEntropy, FillsEveryByteOfEveryLength) {
  for (std::size_t length : {1u, 16u, 32u, 255u, 256u}) {
    std::vector<bool> changed(length, false);
    for (int draw = 0; draw < 20; ++draw) {  // the probability that a byte stays zero in all draws is 2^-160
      std::vector<u8> bytes(length + 1, 0);
      ASSERT_TRUE(fill_entropy(std::span(bytes).first(length)));
      for (std::size_t i = 0; i < length; ++i) changed[i] = changed[i] || bytes[i] != 0;
      EXPECT_EQ(bytes[length], 0) << "a byte past the end was written, length " << length;
    }
    EXPECT_EQ(std::count(changed.begin(), changed.end(), false), 0) << "length " << length;
  }
}

// In one call, getrandom guarantees at most 256 bytes. A seed has 32 bytes. A shorter read is an error.
TEST(FreshSeeds, NeverRepeat) {
  std::set<std::array<u8, 32>> seen;
  for (int i = 0; i < 10000; ++i) EXPECT_TRUE(seen.insert(fresh_public_seed().bytes).second) << "draw " << i;
  for (int i = 0; i < 100; ++i) {
    const SecretSeed seed = fresh_secret_seed();
    std::array<u8, 32> bytes;
    std::copy_n(seed.bytes().data(), bytes.size(), bytes.begin());
    EXPECT_TRUE(seen.insert(bytes).second) << "secret draw " << i;
  }
}

TEST(FreshSeeds, ARefusalOfTheOperatingSystemIsACodedError) {
  testing::fail_at(fault::Point::rng, 2);
  static_cast<void>(fresh_public_seed());
  try {
    static_cast<void>(fresh_secret_seed());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) { EXPECT_EQ(error.code(), Code::entropy_unavailable); }
  EXPECT_EQ(testing::calls_at(fault::Point::rng), 2u) << "one call per seed";
  testing::fail_at(fault::Point::rng, 0);
  EXPECT_NO_THROW(static_cast<void>(fresh_secret_seed()));
}

}  // namespace
}  // namespace ringfort
