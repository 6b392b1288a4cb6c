// SPDX-License-Identifier: Apache-2.0
// Compares Ring-GSW with an independent implementation in Python's big integers (tools/gen_rgsw_vectors). With equal
// seeds, both implementations must give equal keys, equal residues of ciphertexts, and equal counts. The sums of a
// search must be equal too, before and after modulus switching, which shortens an answer.
#include <gtest/gtest.h>
#include <sodium.h>

#include "scheme/rgsw/decrypt.h"
#include "scheme/rgsw/wire.h"
#include "support/devices.h"
#include "support/rgsw.h"
#include "support/vectors.h"

namespace ringfort::rgsw {
namespace {

using nlohmann::json;

Parameters parameters_of(const json& vector) {
  const json& p = vector.at("parameters");
  Parameters out;
  out.name = vector.at("name");
  out.n = p.at("n");
  out.q = p.at("q");
  out.base_bits = p.at("base_bits");
  out.digits = p.at("digits");
  out.shift = p.at("shift");
  out.centred = p.at("centred");
  out.failure_bits = 40;
  out.insecure_reason = "a test over a tiny ring";
  return out;
}

std::string hex(std::span<const u8> bytes) {
  std::string text(2 * bytes.size() + 1, 0);
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

std::string digest_of(std::span<const u64> words) {
  std::vector<u8> bytes;
  for (const u64 word : words) {
    for (u32 i = 0; i < 8; ++i) bytes.push_back(static_cast<u8>(word >> (8 * i)));
  }
  u8 out[32];
  crypto_generichash(out, sizeof out, bytes.data(), bytes.size(), nullptr, 0);
  return hex(out);
}

std::vector<PatternBit> pattern_of(const json& vector) {
  std::vector<PatternBit> pattern;
  for (const int bit : vector.at("pattern")) pattern.push_back({static_cast<u32>(pattern.size()), bit != 0});
  return pattern;
}

void expect_search(const json& vector, std::string_view device) {
  ringfort::testing::choose_seed(vector.at("chosen"));
  const Mode mode = vector.at("mode") == "secret" ? Mode::secret_key : Mode::public_key;
  testing::Client client(parameters_of(vector), mode, device);
  const auto secret = secret_coefficients(client.keys.secret_key());
  EXPECT_EQ(std::vector<int>(secret.begin(), secret.end()), vector.at("secret").get<std::vector<int>>());
  if (mode == Mode::public_key) {
    EXPECT_EQ(public_residues(*client.open), vector.at("public").at("b").get<std::vector<u64>>());
    EXPECT_EQ(hex(public_seed(*client.open).bytes), vector.at("public").at("seed").get<std::string>());
  }
  const json& words = vector.at("words");
  const u32 factors = static_cast<u32>(vector.at("pattern").size());
  const SearchPlan plan =
      plan_search(client.context.parameters(), mode, words.size(), words.size(), factors, vector.at("count_range"));
  MatchSum total(client.context, plan);
  for (const json& word : words) {
    const EncryptedBits bits = client.encrypt(word.at("bits").get<std::vector<u8>>());
    std::vector<u64> residues(bits.size() * exported_words(client.context.parameters(), mode));
    export_bits(bits, residues);
    EXPECT_EQ(std::vector<u64>(residues.begin(), residues.begin() + 4),
              word.at("first_residues").get<std::vector<u64>>());
    EXPECT_EQ(digest_of(residues), word.at("residues_blake2b").get<std::string>());
    EXPECT_EQ(hex(public_seed(bits).bytes), word.at("seed").get<std::string>());
    client.search.add_match(total, {&bits, 0, word.at("document")}, pattern_of(vector));
  }
  std::vector<u64> sum = vector.at("total_c0");
  const std::vector<u64> c1 = vector.at("total_c1");
  sum.insert(sum.end(), c1.begin(), c1.end());
  EXPECT_EQ(testing::coefficients_of(total), sum);
  const Answer answer = client.search.make_answer(total);
  EXPECT_EQ(answer.c0, vector.at("answer_c0").get<std::vector<u32>>());
  EXPECT_EQ(answer.c1, vector.at("answer_c1").get<std::vector<u32>>());
  EXPECT_EQ(client.counts(answer), vector.at("counts").get<std::vector<u32>>());
}

TEST(RgswVectors, SearchesEqualThoseOfBigIntegersOnEveryDevice) {
  const json vectors = ringfort::testing::read_vectors("rgsw_search.json").at("cases");
  ASSERT_EQ(vectors.size(), 6u);
  for (const std::string_view device : ringfort::testing::general_devices()) {
    for (const json& vector : vectors) {
      SCOPED_TRACE(std::string(device) + " " + vector.at("name").get<std::string>() + " " +
                   vector.at("mode").get<std::string>());
      expect_search(vector, device);
    }
  }
}

}  // namespace
}  // namespace ringfort::rgsw
