// SPDX-License-Identifier: Apache-2.0
// Compares CKKS with an independent implementation in Python's big integers (tools/gen_leveled_vectors). With equal
// seeds, ciphertexts must have equal residues after every verb, and equal phases (c0 + c1 s: message plus error).
#include <gtest/gtest.h>
#include "math/random.h"
#include "rlwe/encryption.h"
#include "support/ckks.h"
#include "support/digest.h"
#include "support/vectors.h"

namespace ringfort::ckks::testing {
namespace {

using nlohmann::json;

Parameters parameters_of(const json& row) {
  const json& p = row.at("parameters");
  Parameters out;
  out.chain.n = p.at("n");
  out.chain.data = p.at("data").get<std::vector<u64>>();
  out.chain.special = p.at("special").get<std::vector<u64>>();
  out.chain.limbs_per_level = p.at("limbs_per_level");
  out.chain.digit_limbs = p.at("digit_limbs");
  out.chain.insecure_reason = "a test over a tiny ring";
  out.scale = std::ldexp(1, row.at("scale_bits"));
  return out;
}

// Returns the coefficients of the centred phase as decimal text.
std::vector<std::string> phase_of(const Ciphertext& c, const SecretKey& secret) {
  const RlweCiphertext& ciphertext = c.state().rlwe;
  const KeyContext::State& k = *ciphertext.context;
  const auto work = k.workspace();
  const Scratch<Eval> scratch = phase(ciphertext, *secret.state(), ciphertext.level, *work);
  const Slice<Coeff> coefficients = k.ring.inverse(work->stream, scratch.all());
  const Limbs limbs = coefficients.limbs();
  std::vector<u64> residues(std::size_t{limbs.count} * k.p.n);
  k.ring.download(work->stream, coefficients, std::span<u64>(residues), work->staging);
  std::vector<std::string> out;
  for (u32 i = 0; i < k.p.n; ++i) {
    std::vector<u64> one;
    for (u32 l = 0; l < limbs.count; ++l) one.push_back(residues[std::size_t{l} * k.p.n + i]);
    const std::vector<u64> words = k.ring.basis().compose_words(limbs, one),
                           modulus = k.ring.basis().product_words(limbs);
    // The phases of these cases are short. Two words can hold their absolute values.
    const auto low = [](const std::vector<u64>& w) { return static_cast<u128>(w.size() > 1 ? w[1] : 0) << 64 | w[0]; };
    const bool negative = words.back() > modulus.back() / 2;
    const u128 value = negative ? low(modulus) - low(words) : low(words);
    out.push_back(ringfort::testing::decimal(value));
    if (negative) out.back().insert(0, 1, '-');
  }
  return out;
}

std::vector<double> values_of(const json& row) {
  std::vector<double> out;
  for (const auto& text : row) out.push_back(std::strtod(text.get<std::string>().c_str(), nullptr));
  return out;
}

void compare(const json& row, std::string_view device) {
  choose_seed(row.at("chosen"));
  const Context context(parameters_of(row), device);
  const KeyContext& keys = context;
  const KeyGenerator generator(keys,
                               make_secret_key(keys.state(), sample_secret(keys.chain().n, fresh_secret_seed()), 1));
  const auto& secret = *generator.secret_key().state()->coefficients;
  EXPECT_EQ(std::vector<int>(secret.span().begin(), secret.span().end()), row.at("secret").get<std::vector<int>>());
  const PublicKey open = generator.create_public_key();
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const GaloisKeys galois = generator.create_galois_keys(plan_keys(keys, {{1}, true, 0}));
  const Encoder encoder(context);
  const Encryptor encryptor(context, open);
  const Evaluator evaluator(context);

  const Ciphertext x = encryptor.encrypt(encoder.encode(values_of(row.at("values")[0])));
  const Ciphertext y = encryptor.encrypt(encoder.encode(values_of(row.at("values")[1])));
  const Ciphertext product = evaluator.multiply(x, y), small = evaluator.relinearize(product, relinearization),
                   lower = evaluator.rescale(small);
  const Ciphertext square = evaluator.relinearize(evaluator.square(lower), relinearization);
  const Ciphertext rotated = evaluator.rotate(lower, 1, galois), conjugate = evaluator.conjugate(x, galois);
  const Ciphertext* all[] = {&x, &y, &product, &small, &lower, &square, &rotated, &conjugate};
  ASSERT_EQ(row.at("steps").size(), std::size(all));
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const json& step = row.at("steps")[i];
    const std::string name = row.at("name").get<std::string>() + ": " + step.at("name").get<std::string>();
    EXPECT_EQ(all[i]->level(), step.at("level").get<u32>()) << name;
    EXPECT_EQ(phase_of(*all[i], generator.secret_key()), step.at("phase").get<std::vector<std::string>>()) << name;
    EXPECT_EQ(ringfort::testing::blake2b_text(residues(*all[i])), step.at("blake2b").get<std::string>()) << name;
  }
}

TEST(CkksVectors, EveryVerbGivesTheResiduesOfTheModelInBigIntegers) {
  const json vectors = ringfort::testing::read_vectors("leveled.json");
  u32 cases = 0;
  for (const json& row : vectors.at("cases")) {
    if (row.at("scheme") != "ckks") continue;
    for (const std::string_view device : {"cpu", "ref"}) compare(row, device);
    ++cases;
  }
  EXPECT_EQ(cases, 3u);
}

}  // namespace
}  // namespace ringfort::ckks::testing
