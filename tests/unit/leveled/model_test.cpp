// SPDX-License-Identifier: Apache-2.0
// What CKKS, BFV and BGV compute under fixed seeds is what tests/vectors/leveled_model.json holds: keys, encryptions, products, key
// switches, divisions by primes, rotations and phases as coefficients modulo each prime. tests/model checks the file against big
// integers. RINGFORT_WRITE_MODEL=1 writes it (into the source folder).
#include <cstdlib>
#include <fstream>

#include "support/integers.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using Json = nlohmann::json;
using ckks::testing::Shape;

const std::string kFile = "leveled_model.json";

// [polynomial][limb][coefficient]
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

Json polynomials(const Block& block) { return coefficients(block.context->ring, block.all()); }

template <class Client>
Json describe_keys(const Client& client, const char* scheme, u32 galois) {
  const KeyContext::State& k = *client.context.keys().state();
  const auto& secret = *client.generator.secret_key().state()->coefficients;
  Json out;
  out["scheme"] = scheme;
  out["n"] = k.p.n;
  out["auxiliary"] = k.needs.auxiliary;
  out["special"] = k.p.special;
  out["data"] = k.p.data;
  out["digit_limbs"] = k.p.digit_limbs;
  out["limbs_per_level"] = k.p.limbs_per_level;
  out["secret"] = std::vector<int>(secret.data(), secret.data() + secret.size());
  out["public_key"] = coefficients(k.ring, client.open.state()->pair.all());
  out["relinearization"] = coefficients(k.ring, client.relinearization.state()->key.rows.all());
  out["galois"] = galois;
  out["galois_key"] = coefficients(k.ring, client.galois.state()->keys.at(galois).rows.all());
  return out;
}

Shape small(u32 digit_limbs) {
  Shape shape;
  shape.n = 16;
  shape.levels = 2;
  shape.special = shape.digit_limbs = digit_limbs;
  return shape;
}

Json ckks_case(const Shape& shape) {
  namespace support = ckks::testing;
  using ckks::Ciphertext;
  support::choose_seed(2027);
  const support::Client client(support::parameters_of(shape), "cpu", {1});
  Json out = describe_keys(client, "ckks", 5);
  const ckks::Plaintext p = client.encoder.encode(support::random_values(8, 1));
  const Ciphertext a = client.encryptor.encrypt(p), b = ckks::Encryptor(client.context, client.open).encrypt(p);
  const Ciphertext product = client.evaluator.multiply(a, b), narrow = client.evaluator.relinearize(product, client.relinearization);
  const Ciphertext low = client.evaluator.rescale(narrow), turned = client.evaluator.rotate(low, 1, client.galois);
  out["plain"] = polynomials(p.state().block)[0];
  const std::pair<const char*, const Ciphertext*> steps[] = {{"a", &a}, {"b", &b}, {"product", &product}, {"relinearized", &narrow}, {"switched", &low}, {"rotated", &turned}};
  for (const auto& [name, c] : steps) out[name] = polynomials(c->state().block);
  out["phase"] = polynomials(client.decryptor.decrypt(turned).state().block)[0];
  return out;
}

template <class S>
Json integer_case(const Shape& shape, const char* scheme, u64 t) {
  namespace support = integers::testing;
  using integers::Ciphertext, integers::Plaintext;
  support::choose_seed(2028);
  const support::Client<S> client(support::parameters_of<S>(shape, t), "cpu", {1});
  Json out = describe_keys(client, scheme, 5);
  const Plaintext<S> p = client.encoder.encode(support::random_values(16, t, 1));
  const Ciphertext<S> a = client.encryptor.encrypt(p), b = integers::Encryptor<S>(client.context, client.open).encrypt(p);
  const Ciphertext<S> product = client.evaluator.multiply(a, b), narrow = client.evaluator.relinearize(product, client.relinearization);
  const Ciphertext<S> low = client.evaluator.mod_switch(narrow, narrow.level() - 1), turned = client.evaluator.rotate(low, 1, client.galois);
  const Plaintext<S> decrypted = client.decryptor.decrypt(turned);
  out["t"] = t;
  out["plain"] = std::vector<i64>(p.state().coefficients.data(), p.state().coefficients.data() + 16);
  const std::pair<const char*, const Ciphertext<S>*> steps[] = {{"a", &a}, {"b", &b}, {"product", &product}, {"relinearized", &narrow}, {"switched", &low}, {"rotated", &turned}};
  for (const auto& [name, c] : steps) out[name] = polynomials(c->state().block);
  out["factor"] = turned.state().claim.factor;
  out["decrypted"] = std::vector<i64>(decrypted.state().coefficients.data(), decrypted.state().coefficients.data() + 16);
  return out;
}

Json all_cases() {
  Json cases = Json::array();
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

TEST(LeveledModel, FixedSeedsGiveTheStoredNumbers) {
  const Json found = all_cases();
  if (std::getenv("RINGFORT_WRITE_MODEL") != nullptr) {
    std::ofstream out(std::string(RINGFORT_VECTORS) + "/" + kFile);
    out << "[\n";
    for (std::size_t i = 0; i < found.size(); ++i) out << found[i].dump() << (i + 1 < found.size() ? ",\n" : "\n");
    out << "]\n";
  }
  const Json stored = testing::read_vectors(kFile);
  ASSERT_EQ(stored.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [name, value] : found[i].items()) EXPECT_EQ(stored[i].at(name), value) << "case " << i << " " << name;
  }
}

}  // namespace
}  // namespace ringfort
