// SPDX-License-Identifier: Apache-2.0
// Tests that no memory of the process contains a phase of Ring-GSW (c0 - t c1, which decryption computes before it
// rounds) after decryption. A phase together with its ciphertext reveals the key t.
#include <gtest/gtest.h>

#include <cstring>

#include "scheme/rgsw/decrypt.h"
#include "support/memory_scan.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

// The search looks for these coefficients of a phase.
constexpr u32 kFirst = 7, kWords = 8;

template <class W, class From>
std::vector<u8> complement(const Secret<From>& phase) {
  std::vector<u8> bytes(kWords * sizeof(W));
  for (u32 i = 0; i < kWords; ++i) {
    const W word = static_cast<W>(~static_cast<W>(phase.data()[kFirst + i]));
    std::memcpy(bytes.data() + i * sizeof(W), &word, sizeof(W));
  }
  return bytes;
}

Parameters small(std::string_view name) {
  Parameters p = preset(name, true);
  p.n = 64;
  p.insecure_reason = "a test";
  return p;
}

class EveryWord : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryWord, NoPhaseOfABitIsLeft) {
  ringfort::testing::choose_seed(91);
  Client client(small(GetParam()), Mode::secret_key, "cpu");  // other devices may zero their memory later
  const EncryptedBits bits = client.encrypt(std::vector<u8>{1});
  const u32 row = decryption_row(*client.context.state(), 0, 1, bits.state().deviation);
  std::vector<u8> wide, narrow;
  {
    const Secret<u64> phase = client.phase(bits, row);
    wide = complement<u64>(phase);
    narrow = complement<u32>(phase);
    EXPECT_EQ(ringfort::testing::occurrences_in_memory(wide), 1u)
        << "the search must find exactly one phase while it exists";
  }
  EXPECT_EQ(client.decrypt(bits), std::vector<u8>{1});
  EXPECT_EQ(ringfort::testing::occurrences_in_memory(wide), 0u);
  EXPECT_EQ(ringfort::testing::occurrences_in_memory(narrow), 0u) << "as words of 32 bits";
}

TEST_P(EveryWord, NoPhaseOfAnAnswerIsLeft) {
  ringfort::testing::choose_seed(92);
  Client client(small(GetParam()), Mode::secret_key, "cpu");  // other devices may zero their memory later
  const EncryptedBits bits = client.encrypt(std::vector<u8>{1, 0});
  MatchSum total(client.context, plan_search(client.context.parameters(), client.mode, 2, 2, 2, 16));
  client.search.add_match(total, {&bits, 0, 3}, testing::pattern(1, 2));
  const Answer answer = client.search.make_answer(total);
  std::vector<u32> c0 = answer.c0;
  for (u32& x : c0) x <<= answer.plan.c1_bits - answer.plan.c0_bits;
  std::vector<u8> pattern;
  {
    const Secret<u32> phase =
        phase_mod_power(client.secret().secret.coefficients.span(), c0, answer.c1, answer.plan.c1_bits);
    pattern = complement<u32>(phase);
    EXPECT_EQ(ringfort::testing::occurrences_in_memory(pattern), 1u)
        << "the search must find exactly one phase while it exists";
  }
  EXPECT_EQ(client.counts(answer)[3], 1u);
  EXPECT_EQ(ringfort::testing::occurrences_in_memory(pattern), 0u);
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryWord, ::testing::Values("gsw128", "paper-gsw"),
                         [](const auto& info) { return info.index == 0 ? "Bits64" : "Bits32"; });

}  // namespace
}  // namespace ringfort::rgsw
