// SPDX-License-Identifier: Apache-2.0
// Compares BFV and BGV with an independent implementation in Python's big integers (tools/gen_leveled_vectors). With
// equal seeds, the ciphertexts must have equal residues after every verb.
#include "math/random.h"
#include "support/digest.h"
#include "support/integers.h"
#include "support/vectors.h"

namespace ringfort::integers::testing {
namespace {

using nlohmann::json;

template <class S>
typename S::Parameters parameters_of(const json& p) {
  typename S::Parameters out;
  out.chain.n = p.at("n");
  out.chain.data = p.at("data").get<std::vector<u64>>();
  out.chain.special = p.at("special").get<std::vector<u64>>();
  out.chain.limbs_per_level = p.at("limbs_per_level");
  out.chain.digit_limbs = p.at("digit_limbs");
  out.chain.insecure_reason = "a test over a tiny ring";
  out.plain_modulus = p.at("plain_modulus");
  return out;
}

template <class S>
void compare(const json& row, std::string_view device) {
  choose_seed(row.at("chosen"));
  const Context<S> context(parameters_of<S>(row.at("parameters")), device);
  const KeyContext& keys = context;
  ASSERT_EQ(keys.state()->needs.auxiliary.size(), row.at("parameters").at("auxiliary").get<std::size_t>())
      << "the implementations number limbs differently";
  const KeyGenerator generator(keys,
                               make_secret_key(keys.state(), sample_secret(keys.chain().n, fresh_secret_seed()), 1));
  const PublicKey open = generator.create_public_key();
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const GaloisKeys galois = generator.create_galois_keys(plan_keys(keys, {{1}, true, 0}));
  const Encoder<S> encoder(context);
  const Encryptor<S> encryptor(context, open);
  const Evaluator<S> evaluator(context);
  const auto encrypt = [&](const json& values) {
    return encryptor.encrypt(encoder.encode_coefficients(values.get<std::vector<i64>>()));
  };

  const Ciphertext<S> x = encrypt(row.at("values")[0]), y = encrypt(row.at("values")[1]);
  const Ciphertext<S> product = evaluator.multiply(x, y), small = evaluator.relinearize(product, relinearization);
  const Ciphertext<S> lower = evaluator.mod_switch(small, small.level() - 1),
                      square = evaluator.relinearize(evaluator.square(lower), relinearization);
  const Ciphertext<S> rotated = evaluator.rotate(lower, 1, galois), swapped = evaluator.swap_rows(x, galois);
  const Ciphertext<S>* all[] = {&x, &y, &product, &small, &lower, &square, &rotated, &swapped};
  ASSERT_EQ(row.at("steps").size(), std::size(all));
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const json& step = row.at("steps")[i];
    const std::string name = row.at("name").get<std::string>() + ": " + step.at("name").get<std::string>();
    EXPECT_EQ(all[i]->level(), step.at("level").get<u32>()) << name;
    const std::vector<u64> words = residues<S>(*all[i]);
    EXPECT_EQ(std::vector<u64>(words.begin(), words.begin() + 4), step.at("first_residues").get<std::vector<u64>>())
        << name;
    EXPECT_EQ(ringfort::testing::blake2b_text(words), step.at("blake2b").get<std::string>()) << name;
  }
}

TEST(IntegerVectors, EveryVerbGivesTheResiduesOfTheModelInBigIntegers) {
  const json vectors = ringfort::testing::read_vectors("leveled.json");
  u32 cases = 0;
  for (const json& row : vectors.at("cases")) {
    if (row.at("scheme") == "ckks") continue;
    for (const std::string_view device : {"cpu", "ref"}) {
      if (row.at("scheme") == "bfv") compare<bfv::Scheme>(row, device);
      else compare<bgv::Scheme>(row, device);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 4u);
}

}  // namespace
}  // namespace ringfort::integers::testing
