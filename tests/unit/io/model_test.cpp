// SPDX-License-Identifier: Apache-2.0
// Tests that CKKS, BFV and BGV under fixed seeds give the data in tests/vectors/model. For each case, a container (a
// file of named objects) has parameters, keys, encryptions, products, key switches, divisions by primes and rotations.
// facts.json has the encoded and the decrypted polynomials, because no file format stores these. tests/model compares
// containers and facts with big integers. With RINGFORT_WRITE_MODEL=1, this test writes the data into the source
// folder.
#include <cstdlib>
#include <fstream>

#include "ringfort/files.h"
#include "support/folder.h"
#include "support/integers.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using Json = nlohmann::json;
using ckks::testing::Shape;

struct Stored {
  Json facts;
  std::vector<u8> files;
};

// Returns the coefficients, ordered as [polynomial][limb][coefficient].
Json coefficients(const Ring& ring, Slice<Eval> polynomials) {
  const Limbs limbs = polynomials.limbs();
  Poly<Eval> copy = ring.make<Eval>(polynomials.batch(), limbs);
  ring.multiply_scalar(Stream{}, copy.all(), polynomials, 1);
  const Poly<Coeff> plain = ring.inverse(Stream{}, std::move(copy));
  std::vector<u64> words(std::size_t{polynomials.batch()} * limbs.count * ring.n());
  Staging staging(ring.n());
  ring.download(Stream{}, plain.all(), std::span<u64>(words), staging);
  Json out = Json::array();
  for (u32 p = 0; p < polynomials.batch(); ++p) {
    Json one = Json::array();
    for (u32 l = 0; l < limbs.count; ++l) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>((std::size_t{p} * limbs.count + l) * ring.n());
      one.push_back(std::vector<u64>(first, first + ring.n()));
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json polynomial(const RlweCiphertext& ciphertext) {
  return coefficients(ciphertext.context->ring, ciphertext.all())[0];
}

// Returns the first facts of a case. The name of the case states the scheme, the number of primes of a digit and the
// number of primes of a level.
template <class Client>
Json facts_of(const Client& client, const std::string& scheme) {
  const KeyContext::State& k = *client.context.keys().state();
  Json out;
  out["case"] = scheme + "-" + std::to_string(k.p.digit_limbs) + "-" + std::to_string(k.p.limbs_per_level);
  out["auxiliary"] = k.needs.auxiliary;
  return out;
}

template <class Ciphertext>
using Steps = std::vector<std::pair<const char*, const Ciphertext*>>;

template <class Client, class Ciphertext>
std::vector<u8> files_of(const Client& client, const Steps<Ciphertext>& steps) {
  const auto& on = client.context;
  const io::SecretBytes secret = io::encode_secret_key(on, client.generator.secret_key(), "");
  const std::vector<u8> parameters = io::encode_parameters(on), open = io::encode_key(on, client.open),
                        relinearization = io::encode_key(on, client.relinearization),
                        galois = io::encode_key(on, client.galois);
  std::vector<std::vector<u8>> ciphertexts;
  std::vector<io::NamedObject> objects{{"parameters", parameters},
                                       {"secret", secret.view()},
                                       {"public", open},
                                       {"relinearization", relinearization},
                                       {"galois", galois}};
  for (const auto& [name, c] : steps) ciphertexts.push_back(io::encode_ciphertext(on, *c));
  for (std::size_t i = 0; i < steps.size(); ++i) objects.push_back({steps[i].first, ciphertexts[i]});
  const io::SecretBytes all = io::encode_container(objects);
  return {all.view().begin(), all.view().end()};
}

Shape small(u32 digit_limbs) {
  Shape shape;
  shape.n = 16;
  shape.levels = 2;
  shape.special = shape.digit_limbs = digit_limbs;
  return shape;
}

Stored ckks_case(const Shape& shape) {
  namespace support = ckks::testing;
  using ckks::Ciphertext;
  support::choose_seed(2027);
  const support::Client client(support::parameters_of(shape), "", {1});
  const ckks::Plaintext p = client.encoder.encode(support::random_values(8, 1));
  const Ciphertext a = client.encryptor.encrypt(p), b = ckks::Encryptor(client.context, client.open).encrypt(p);
  const Ciphertext product = client.evaluator.multiply(a, b),
                   narrow = client.evaluator.relinearize(product, client.relinearization);
  const Ciphertext low = client.evaluator.rescale(narrow), rotated = client.evaluator.rotate(low, 1, client.galois);
  Json facts = facts_of(client, "ckks");
  facts["plain"] = polynomial(p.state().rlwe);
  facts["phase"] = polynomial(client.decryptor.decrypt(rotated).state().rlwe);
  const Steps<Ciphertext> steps{{"a", &a},
                                {"b", &b},
                                {"product", &product},
                                {"relinearized", &narrow},
                                {"switched", &low},
                                {"rotated", &rotated}};
  return {facts, files_of(client, steps)};
}

template <class S>
Stored integer_case(const Shape& shape, const char* scheme, u64 t) {
  namespace support = integers::testing;
  using integers::Ciphertext, integers::Plaintext;
  support::choose_seed(2028);
  const support::Client<S> client(support::parameters_of<S>(shape, t), "", {1});
  const Plaintext<S> p = client.encoder.encode(support::random_values(16, t, 1));
  const Ciphertext<S> a = client.encryptor.encrypt(p),
                      b = integers::Encryptor<S>(client.context, client.open).encrypt(p);
  const Ciphertext<S> product = client.evaluator.multiply(a, b),
                      narrow = client.evaluator.relinearize(product, client.relinearization);
  const Ciphertext<S> low = client.evaluator.mod_switch(narrow, narrow.level() - 1),
                      rotated = client.evaluator.rotate(low, 1, client.galois);
  const Plaintext<S> decrypted = client.decryptor.decrypt(rotated);
  Json facts = facts_of(client, scheme);
  facts["plain"] = std::vector<i64>(p.state().coefficients.data(), p.state().coefficients.data() + 16);
  facts["decrypted"] =
      std::vector<i64>(decrypted.state().coefficients.data(), decrypted.state().coefficients.data() + 16);
  const Steps<Ciphertext<S>> steps{{"a", &a},
                                   {"b", &b},
                                   {"product", &product},
                                   {"relinearized", &narrow},
                                   {"switched", &low},
                                   {"rotated", &rotated}};
  return {facts, files_of(client, steps)};
}

std::vector<Stored> all_cases() {
  std::vector<Stored> cases;
  Shape words = ckks::testing::short_words();
  words.n = 16;
  for (const Shape& shape : {small(1), small(2), words}) {
    cases.push_back(ckks_case(shape));
    Shape wider = shape;
    if (shape.limbs_per_level == 1) wider.bits = wider.first_bits = wider.special_bits = 50;
    cases.push_back(integer_case<bfv::Scheme>(wider, "bfv", 257));
    cases.push_back(integer_case<bgv::Scheme>(wider, "bgv", 257));
  }
  return cases;
}

TEST(LeveledModel, FixedSeedsGiveTheStoredFiles) {
  const std::vector<Stored> found = all_cases();
  const std::string folder = "model/";
  const auto path_of = [&](const Stored& one) {
    return std::string(RINGFORT_VECTORS) + "/" + folder + one.facts.at("case").get<std::string>() + ".rfo";
  };
  if (std::getenv("RINGFORT_WRITE_MODEL") != nullptr) {
    std::ofstream out(std::string(RINGFORT_VECTORS) + "/" + folder + "facts.json");
    out << "[\n";
    for (std::size_t i = 0; i < found.size(); ++i)
      out << found[i].facts.dump() << (i + 1 < found.size() ? ",\n" : "\n");
    out << "]\n";
    for (const Stored& one : found) testing::write_all(path_of(one), one.files);
  }
  const Json stored = testing::read_vectors(folder + "facts.json");
  ASSERT_EQ(stored.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(stored[i], found[i].facts) << "case " << i;
    EXPECT_TRUE(testing::read_all(path_of(found[i])) == found[i].files) << path_of(found[i]);
  }
}

}  // namespace
}  // namespace ringfort
