// SPDX-License-Identifier: Apache-2.0
// Tests the checker itself (secrets.h), which marks secret bytes as hidden. The checker must find a branch on a secret,
// and an address that is computed from a secret. It must also mark the results of arithmetic with a secret as hidden.
#include "constant_time/secrets.h"

#include <cstdint>

#include "backend/devices.h"
#include "math/random.h"
#include "math/word.h"
#include "ringfort/declassified.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#endif
#endif

namespace ringfort {
namespace {

using testing::findings;
using testing::hide;
using testing::is_checked;
using testing::is_hidden;
using testing::show;

volatile unsigned sink = 0;
volatile unsigned char table[256];

// Tells whether the checker reports a finding in `body`.
template <class Body>
bool is_found(Body body) {
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
  __msan_set_expect_umr(1);
  body();
  __msan_set_expect_umr(0);  // ends the program if there was no finding
  return true;
#endif
#endif
  const unsigned long before = findings();
  body();
  return findings() != before;
}

[[gnu::noinline]] void branch(const std::uint8_t* secret) {
  if ((*secret & 1) != 0) sink = sink + 1;
}
[[gnu::noinline]] void look_up(const std::uint8_t* secret) { sink = table[*secret]; }

class Control : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_checked()) GTEST_SKIP() << "run it under valgrind, or built for MemorySanitizer";
    hide(&secret_, 1);
  }
  void TearDown() override { show(&secret_, 1); }
  std::uint8_t secret_ = 1;
};

TEST_F(Control, TheInstructionSetIsTheOneThatWasAskedFor) {
  const CpuChoice choice = cpu_choice();
  if (choice.lowered)
    GTEST_SKIP() << "this machine has " << choice.used << ", so nothing is checked of " << choice.requested;
  if (!choice.requested.empty()) { EXPECT_EQ(choice.used, choice.requested); }
}

TEST_F(Control, ABranchOnASecretIsFound) {
  EXPECT_TRUE(is_found([&] { branch(&secret_); }));
}

TEST_F(Control, AnAddressMadeOfASecretIsFound) {
  EXPECT_TRUE(is_found([&] { look_up(&secret_); }));
}

TEST_F(Control, ResultsOfComputationsWithASecretAreSecret) {
  std::uint8_t product = static_cast<std::uint8_t>(secret_ * 3);
  EXPECT_TRUE(is_hidden(&product, 1));
  show(&product, 1);
}

// MemorySanitizer needs the compiler plugin tests/constant_time/carries for these operations. Without the plugin, most
// of the bytes below would count as public.
TEST_F(Control, ProductsUpperHalvesCarriesOfSumsAndConversionsToDoubleStaySecret) {
  const volatile u64 wide = u64{0x1234567} << 32, all = ~u64{0};
  u64 factor = secret_;
  hide(&factor, sizeof factor);
  u64 upper = mulhi<u64>(factor, wide), carry = u64{0} - static_cast<u64>((u128{factor} + all) >> 64);
  double as_double = static_cast<double>(secret_);
  i64 back = static_cast<i64>(as_double);
  EXPECT_TRUE(is_hidden(&upper, 1));
  EXPECT_TRUE(is_hidden(&carry, 1));
  EXPECT_TRUE(is_hidden(reinterpret_cast<std::uint8_t*>(&as_double) + 7, 1));
  EXPECT_TRUE(is_hidden(&back, 1));
  for (u64* word : {&factor, &upper, &carry}) show(word, sizeof *word);
  show(&as_double, sizeof as_double);
  show(&back, sizeof back);
}

TEST_F(Control, SeedsOfSecretsAreHiddenAndThoseOfPublicPartsAreNot) {
  const unsigned long before = testing::secret_draws();
  SecretSeed secret = fresh_secret_seed();
  EXPECT_TRUE(is_hidden(secret.bytes().data(), 32));
  const PublicSeed open = fresh_public_seed();
  EXPECT_FALSE(is_hidden(open.bytes.data(), 32));
  EXPECT_EQ(testing::secret_draws(), before + 1);
}

TEST_F(Control, AVerdictBecomesPublic) {
  const unsigned long before = findings();
  if (declassified(secret_ > 200)) sink = sink + 1;
  EXPECT_EQ(findings(), before);
}

}  // namespace
}  // namespace ringfort
