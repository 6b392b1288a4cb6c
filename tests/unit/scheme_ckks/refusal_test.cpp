// SPDX-License-Identifier: Apache-2.0
// Tests that CKKS refuses invalid requests before any work. Each refusal must have its own code, and a message that
// states the fix.
#include <cmath>

#include "support/ckks.h"
#include "support/observed.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Shape;
using testing::Values;

class CkksRefusals : public ::testing::Test {
 protected:
  CkksRefusals() : client((testing::choose_seed(21), testing::parameters_of({}))), a(client.encrypt({0.5, 0.25})) {}
  Client client;
  Ciphertext a;
};

TEST_F(CkksRefusals, ObjectsOfTwoContextsOrTwoKeysDoNotMeet) {
  const Client other(testing::parameters_of({}));
  const Ciphertext foreign = other.encrypt({1.0});
  expect_refused(Code::parameters_mismatch, [&] { (void)client.evaluator.add(a, foreign); }, "to()");
  expect_refused(
      Code::parameters_mismatch,
      [&] { (void)client.evaluator.relinearize(client.evaluator.square(a), other.relinearization); }, "one Context");
  expect_refused(Code::parameters_mismatch, [&] { (void)client.evaluator.rotate(a, 1, other.galois); }, "one Context");
  expect_refused(Code::parameters_mismatch, [&] { (void)other.decryptor.decrypt(a); }, "one Context");
  expect_refused(
      Code::parameters_mismatch, [&] { (void)client.evaluator.add_plain(a, other.encoder.encode(Values{1.0})); },
      "one Context");
  const KeyGenerator second(client.context);
  expect_refused(
      Code::parameters_mismatch, [&] { (void)Decryptor(client.context, second.secret_key()).decrypt(a); },
      "made under");
  const Ciphertext under_second =
      Encryptor(client.context, second.secret_key()).encrypt(client.encoder.encode(Values{1.0}));
  expect_refused(Code::parameters_mismatch, [&] { (void)client.evaluator.multiply(a, under_second); }, "made under");
  Shape longer;
  longer.levels = 4;
  expect_refused(
      Code::parameters_mismatch, [&] { (void)a.to(Context(testing::parameters_of(longer))); }, "one Parameters");
}

TEST_F(CkksRefusals, ThePrecisionOfAResultIsThatOfItsOwnContext) {
  Shape longer;
  longer.levels = 4;
  const Client other(testing::parameters_of(longer));
  const Ciphertext foreign = other.encrypt({1.0});
  for (const auto bits : {&Encoder::decoded_precision_bits, &Encoder::raw_precision_bits}) {
    expect_refused(Code::parameters_mismatch, [&] { (void)(client.encoder.*bits)(foreign); }, "one Context");
    expect_refused(Code::invalid_argument, [&] { (void)(client.encoder.*bits)(Ciphertext()); }, "empty");
    EXPECT_GT((client.encoder.*bits)(a), 0);
  }
}

TEST_F(CkksRefusals, MissingKeysAreNamed) {
  expect_refused(
      Code::key_missing, [&] { (void)client.evaluator.rotate(a, 8, client.galois); }, "KeyRequest::rotations");
  const GaloisKeys none = client.generator.create_galois_keys(plan_keys(client.context, {}));
  expect_refused(Code::key_missing, [&] { (void)client.evaluator.conjugate(a, none); }, "conjugation");
  const AutomaticEvaluator bare(client.context);
  expect_refused(Code::key_missing, [&] { (void)bare.square(a); }, "give it to");
  expect_refused(Code::key_missing, [&] { (void)bare.rotate(a, 1); }, "give it to");
  Shape shape;
  shape.special = 0;
  const Context without(testing::parameters_of(shape));
  expect_refused(Code::unsupported, [&] { (void)KeyGenerator(without).create_relinearization_key(); }, "special");
  expect_refused(Code::unsupported, [&] { (void)plan_keys(without, {}); }, "special");
}

TEST_F(CkksRefusals, ADeclaredMagnitudeOnlyEverLowersABound) {
  const Evaluator& e = client.evaluator;
  const Ciphertext twice = e.add(a, a), once = e.declare_magnitude(twice, a.magnitude());
  EXPECT_EQ(once.magnitude(), a.magnitude());
  EXPECT_EQ(once.precision_bits(), twice.precision_bits());
  EXPECT_GT(e.square(once).precision_bits(), e.square(twice).precision_bits());
  EXPECT_EQ(e.declare_magnitude(a, 1e6).magnitude(), a.magnitude());
  expect_refused(Code::invalid_argument, [&] { (void)e.declare_magnitude(a, -1); }, "zero or more");
  expect_refused(Code::invalid_argument, [&] { (void)e.declare_magnitude(a, std::nan("")); }, "zero or more");
  expect_refused(Code::invalid_argument, [&] { (void)e.declare_magnitude(Ciphertext(), 1); }, "empty");
}

TEST_F(CkksRefusals, LevelsScalesAndPartsMustFit) {
  const Evaluator& e = client.evaluator;
  const Ciphertext low = e.mod_switch(a, 1), wide = e.square(a);
  expect_refused(Code::parameters_mismatch, [&] { (void)e.add(a, low); }, "mod_switch");
  expect_refused(Code::parameters_mismatch, [&] { (void)e.add(a, e.upscale(a, 3)); }, "scale");
  expect_refused(
      Code::parameters_mismatch, [&] { (void)e.multiply_plain(a, client.encoder.encode(Values{1.0}, {0, {}, {}})); },
      "level");
  expect_refused(Code::invalid_argument, [&] { (void)client.automatic.multiply(wide, wide); }, "relinearize");
  expect_refused(Code::invalid_argument, [&] { (void)e.rotate(wide, 1, client.galois); }, "relinearize");
  expect_refused(Code::invalid_argument, [&] { (void)e.mod_switch(low, 2); }, "0 .. 1");
  expect_refused(Code::depth_exhausted, [&] { (void)e.rescale(e.mod_switch(a, 0)); }, "data primes");
  expect_refused(
      Code::depth_exhausted,
      [&] { (void)e.multiply_relinearize_rescale(e.mod_switch(a, 0), e.mod_switch(a, 0), client.relinearization); },
      "data primes");
  expect_refused(
      Code::parameters_mismatch, [&] { (void)e.multiply_relinearize_rescale(a, low, client.relinearization); },
      "mod_switch");
  expect_refused(
      Code::invalid_argument, [&] { (void)e.multiply_relinearize_rescale(wide, a, client.relinearization); },
      "relinearize");
  expect_refused(Code::depth_exhausted, [&] { (void)client.automatic.square(e.mod_switch(a, 0)); }, "data primes");
  expect_refused(Code::depth_exhausted, [&] { (void)client.automatic.power(a, 9); }, "4 levels, 3 left");
  expect_refused(Code::noise_bound_exceeded, [&] { (void)e.rescale(a); }, "product");
  expect_refused(Code::invalid_argument, [&] { (void)e.add(Ciphertext(), a); }, "encrypt");
  expect_refused(Code::invalid_argument, [&] { (void)e.add_many({}); }, "at least one operand");
  expect_refused(Code::invalid_argument, [&] { (void)e.inner_product(std::span(&a, 1), {}); }, "as many");
  expect_refused(Code::invalid_argument, [&] { (void)e.sum_slots(a, 3, client.galois); }, "power of two");
  expect_refused(Code::invalid_argument, [&] { (void)e.upscale(a, 0); }, "1 or more");
  expect_refused(Code::invalid_argument, [&] { (void)client.automatic.power(a, 0); }, "encode");
}

TEST_F(CkksRefusals, SumsWhoseLastTermDoesNotFitComputeNothing) {
  std::vector<Ciphertext> terms;
  std::vector<Plaintext> known;
  for (int i = 0; i < 3; ++i) {
    terms.push_back(a.clone());
    known.push_back(client.encoder.encode_public(Values{0.5}));
  }
  terms.back() = client.evaluator.mod_switch(a, 1);
  const Evaluator& e = client.evaluator;
  const auto refused = [&](auto sum) {
    EXPECT_EQ(
        ringfort::testing::verbs_of(client.context, [&] { expect_refused(Code::parameters_mismatch, sum, "level"); }),
        std::vector<std::string>());
  };
  refused([&] { (void)e.add_many(terms); });
  refused([&] { (void)e.inner_product(terms, terms); });
  refused([&] { (void)e.inner_product_plain(terms, known); });
}

TEST_F(CkksRefusals, InvalidValuesAreNotEncoded) {
  const Encoder& e = client.encoder;
  expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values{std::nan("")}); }, "finite");
  expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values{1e300 * 1e300}); }, "larger one");
  expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values{1.5}); }, "magnitude");
  expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values(33)); }, "slots");
  expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values{1}, {7, {}, {}}); }, "0 .. 3");
  expect_refused(Code::noise_bound_exceeded, [&] { (void)e.encode(Values{1}, {0, 0x1p60, {}}); }, "smaller");
  expect_refused(
      Code::mode_forbidden, [&] { (void)client.encryptor.encrypt(e.encode_public(Values{0.5})); }, "declared");
  for (const double magnitude : {std::nan(""), -1.0, 1e300}) {
    expect_refused(Code::invalid_argument, [&] { (void)e.encode(Values{0}, {{}, {}, magnitude}); }, "declare a bound");
  }
  EXPECT_EQ(e.encode(Values{1.5}, {{}, {}, 2.0}).magnitude(), 2.0);
}

// Expects that f throws invalid_argument, with a short message that names the argument.
template <class F>
void expect_named(const std::string& name, double value, F f) {
  try {
    f();
    ADD_FAILURE() << name << " = " << value << " was accepted";
  } catch (const Error& refused) {
    const std::string told = refused.what();
    EXPECT_EQ(refused.code(), Code::invalid_argument) << told;
    EXPECT_NE(told.find(name), std::string::npos) << told;
    EXPECT_EQ(told.find("nan bits"), std::string::npos) << told;
    EXPECT_LT(told.size(), 250u) << told;
  }
}

TEST_F(CkksRefusals, NumbersThatAreNoneAreRefusedByName) {
  const Encoder& e = client.encoder;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), infinity, -infinity, -1.0, 1e300}) {
    for (const bool is_public : {false, true}) {
      const auto encode = [&](const EncodeOptions& options) {
        return is_public ? e.encode_public(Values{0.5}, options) : e.encode(Values{0.5}, options);
      };
      expect_named("scale", value, [&] { (void)encode({{}, value, {}}); });
      expect_named("magnitude", value, [&] { (void)encode({{}, {}, value}); });
    }
    expect_named("magnitude", value, [&] {
      Requirements r;
      r.magnitude = value;
      (void)choose(r);
    });
    const auto make = [&](double Parameters::* member) {
      Parameters p = testing::parameters_of({});
      p.*member = value;
      const Context context(p);
    };
    expect_named("scale", value, [&] { make(&Parameters::scale); });
    expect_named("magnitude", value, [&] { make(&Parameters::magnitude); });
    if (!(value > 0)) expect_named("magnitude", value, [&] { (void)client.evaluator.declare_magnitude(a, value); });
    if (std::isfinite(value)) continue;
    expect_named("values", value, [&] { (void)client.automatic.add_plain(a, Values{value}); });
    expect_named("values", value, [&] { (void)client.automatic.multiply_plain(a, std::complex<double>(0, value)); });
  }
  expect_named("scale", 0, [&] { (void)e.encode(Values{0.5}, {{}, 0.0, {}}); });
  expect_named("precision", 4e9, [&] {
    Requirements r;
    r.precision = ~0u;
    (void)choose(r);
  });
  expect_named("release", 4e9, [&] {
    Requirements r;
    r.release = {~0u, 1};
    (void)choose(r);
  });
  expect_named("release", 0, [&] {
    Requirements r;
    r.release = {30, 0};
    (void)choose(r);
  });
  expect_named("depth", 4e9, [&] {
    Requirements r;
    r.depth = ~0u;
    (void)choose(r);
  });
}

// Decryption composes the values from as few of the first primes as their length allows. Here the product of these
// primes is longer than two words.
TEST(CkksDecryption, NeedsNoPrefixOfTheChainThatIsShorterThanTwoWords) {
  Shape shape;
  // a square of scale 2^100 needs more than two primes; three primes have 150 bits
  shape.bits = shape.first_bits = 50;
  const Client client((testing::choose_seed(5), testing::parameters_of(shape)));
  const Values x = {-0.75, 0.5, 1};
  const Ciphertext square =
      client.evaluator.relinearize(client.evaluator.square(client.encrypt(x)), client.relinearization);
  const Values found = client.decrypt(client.evaluator.upscale(square, 0x1p18));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found[i], x[i] * x[i], testing::claimed_error(client, square));
}

TEST(CkksDecryption, ReadsValuesOfMoreThanTwoWordsWithTheirScale) {
  Shape shape;
  shape.bits = shape.first_bits = 50;
  const Client client((testing::choose_seed(5), testing::parameters_of(shape)));
  const Values x = {-0.75, 0.5, 1};
  const Ciphertext square =
      client.evaluator.relinearize(client.evaluator.square(client.encrypt(x)), client.relinearization);
  for (const std::int64_t factor : {i64{1} << 30, i64{1} << 61}) {  // the products have scales of 130 and 161 bits
    const Ciphertext scaled = client.evaluator.upscale(square, factor),
                     large = client.evaluator.multiply_integer(square, factor);
    const Values same = client.decrypt(scaled), times = client.decrypt(large);
    const double size = static_cast<double>(factor);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(same[i], x[i] * x[i], testing::claimed_error(client, scaled));
      EXPECT_NEAR(times[i] / size, x[i] * x[i], testing::claimed_error(client, large) / size);
    }
    EXPECT_GT(scaled.precision_bits(), 30);
  }
}

TEST(CkksDecryption, OfProductsWithZeroGivesZero) {
  const Client client((testing::choose_seed(6), testing::parameters_of({})));
  const Ciphertext none =
      client.evaluator.multiply_plain(client.encrypt({0.5}), client.encoder.encode_public(Values{0}));
  EXPECT_NEAR(client.decrypt(none)[0], 0, testing::claimed_error(client, none));
}

TEST(CkksMoves, AContextWithAnotherMeaningOfPlaintextsReceivesNothing) {
  const Client client((testing::choose_seed(7), testing::parameters_of({})));
  const Ciphertext c = client.encrypt({0.5});
  const Plaintext p = client.encoder.encode(Values{0.5});
  const auto refused = [&](auto change) {
    Parameters other = client.context.parameters();
    change(other);
    const Context target(other);
    expect_refused(Code::parameters_mismatch, [&] { (void)c.to(target); }, "one Parameters");
    expect_refused(Code::parameters_mismatch, [&] { (void)p.to(target); }, "one Parameters");
    expect_refused(
        Code::parameters_mismatch, [&] { (void)client.generator.secret_key().to(target); }, "one Parameters");
  };
  refused([](Parameters& other) { other.slots = 8; });
  refused([](Parameters& other) { other.scale *= 2; });
  refused([](Parameters& other) { other.magnitude = 2; });
  refused([](Parameters& other) { other.release = {20, 100}; });
  Parameters same = client.context.parameters();
  same.slots = 0;  // all slots, as in the original parameters
  EXPECT_EQ(c.to(Context(same, "ref")).device(), "ref");
}

TEST(CkksParameters, ContextsOfBadChainsAreRefused) {
  const auto refused = [](Code code, auto change, std::string_view advice) {
    Parameters p = testing::parameters_of({});
    change(p);
    expect_refused(code, [&] { Context context(p); }, advice);
  };
  refused(Code::insecure_parameters, [](Parameters& p) { p.chain.insecure_reason.clear(); }, "128 bits");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.n = 48; }, "power of two");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.data[1] = p.chain.data[0]; }, "distinct");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.data[1] += 2; }, "primes");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.data.clear(); }, "limbs_per_level");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.limbs_per_level = 3; }, "multiple");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.digit_limbs = 0; }, "digit_limbs");
  refused(Code::invalid_argument, [](Parameters& p) { p.chain.digit_limbs = 4; }, "special primes");
  refused(Code::invalid_argument, [](Parameters& p) { p.scale = 0; }, "scale");
  refused(Code::invalid_argument, [](Parameters& p) { p.scale = 0x1p20; }, "near the scale");
  refused(Code::invalid_argument, [](Parameters& p) { p.magnitude = 0; }, "magnitude");
  refused(Code::invalid_argument, [](Parameters& p) { p.slots = 64; }, "slots");
}

TEST(CkksParameters, SecureChainsNeedNoReason) {
  Shape shape;
  shape.n = 8192;
  shape.levels = 2;
  Parameters p = testing::parameters_of(shape);
  p.chain.insecure_reason.clear();
  EXPECT_EQ(Context(p).slots(), 4096u);
  // 50 + 40 + 40 + 50 + 50 bits exceed 214
  p.chain.data.push_back(testing::some_primes(50, 8192, 1, p.chain.special)[0]);
  EXPECT_THROW(Context{p}, Error);
}

}  // namespace
}  // namespace ringfort::ckks
