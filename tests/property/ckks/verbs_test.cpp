// SPDX-License-Identifier: Apache-2.0
// Tests that every verb agrees with the same operation on the values, within the bound of the result. The tests use
// residues of 64 and of 32 bits, and key switches with digits of one prime and of several primes.
#include "support/ckks.h"
#include "support/observed.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

struct Named {
  const char* name;
  Shape shape;
};

Shape hybrid() {
  Shape shape;
  shape.levels = 5;
  shape.special = 2;
  shape.digit_limbs = 2;  // six data primes form three digits
  return shape;
}

std::ostream& operator<<(std::ostream& out, const Named& named) { return out << named.name; }

class CkksVerbs : public ::testing::TestWithParam<Named> {
 protected:
  CkksVerbs() {
    testing::choose_seed(1);
    client.emplace(testing::parameters_of(GetParam().shape));
    x = testing::random_values(slots(), 1);
    y = testing::random_values(slots(), 2);
    a = client->encrypt(x);
    b = client->encrypt(y);
  }
  [[nodiscard]] u32 slots() const { return client->context.slots(); }
  template <class F>
  [[nodiscard]] Values each(F f) const {
    Values out(slots());
    for (u32 i = 0; i < slots(); ++i) out[i] = f(i);
    return out;
  }
  void expect(const Ciphertext& c, const Values& expected, double least_bits = 5) const {
    EXPECT_LE(testing::largest_difference(client->decrypt(c), expected), testing::claimed_error(*client, c));
    EXPECT_GE(c.precision_bits(), least_bits);
    for (const double value : expected) ASSERT_LE(std::abs(value), c.magnitude());
  }
  std::optional<Client> client;
  Values x, y;
  Ciphertext a, b;
};

TEST_P(CkksVerbs, EncryptionsUnderEitherKeyComeBack) {
  expect(a, x);
  const Encryptor open(client->context, client->open);
  expect(open.encrypt(client->encoder.encode(y)), y);
}

TEST_P(CkksVerbs, SumsDifferencesAndNegation) {
  const Evaluator& e = client->evaluator;
  expect(e.add(a, b), each([&](u32 i) { return x[i] + y[i]; }));
  expect(e.subtract(a, b), each([&](u32 i) { return x[i] - y[i]; }));
  expect(e.negate(a), each([&](u32 i) { return -x[i]; }));
  const Plaintext p = client->encoder.encode_public(y);
  expect(e.add_plain(a, p), each([&](u32 i) { return x[i] + y[i]; }));
  expect(e.subtract_plain(a, p), each([&](u32 i) { return x[i] - y[i]; }));
  std::vector<Ciphertext> terms;
  for (int i = 0; i < 3; ++i) terms.push_back(b.clone());
  expect(e.add_many(terms), each([&](u32 i) { return 3 * y[i]; }));
  terms[1] = e.multiply_plain(a, client->encoder.encode_public(y));  // terms of two and of three components
  terms[0] = e.multiply(a, b);
  terms[2] = terms[1].clone();
  expect(e.add_many(std::span(terms)), each([&](u32 i) { return 3 * x[i] * y[i]; }));
  std::swap(terms[0], terms[2]);
  expect(e.add_many(std::span(terms)), each([&](u32 i) { return 3 * x[i] * y[i]; }));
}

TEST_P(CkksVerbs, ProductsBeforeAndAfterRelinearizationAndRescaling) {
  const Evaluator& e = client->evaluator;
  const Values product = each([&](u32 i) { return x[i] * y[i]; });
  const Ciphertext wide = e.multiply(a, b);
  EXPECT_EQ(wide.size(), 3u);
  expect(wide, product);
  const Ciphertext narrow = e.relinearize(wide, client->relinearization);
  EXPECT_EQ(narrow.size(), 2u);
  expect(narrow, product);
  expect(e.rescale(wide), product);
  const Ciphertext low = e.rescale(narrow);
  EXPECT_EQ(low.level() + 1, a.level());
  EXPECT_EQ(low.scale(), client->context.scale(low.level()));
  expect(low, product);
  expect(e.relinearize(e.rescale(wide), client->relinearization), product);
  expect(e.rescale(e.relinearize(e.square(a), client->relinearization)), each([&](u32 i) { return x[i] * x[i]; }));
}

// Compares residues and bounds.
void expect_same(const Ciphertext& found, const Ciphertext& expected, const char* what) {
  EXPECT_EQ(testing::residues(found), testing::residues(expected)) << what;
  EXPECT_EQ(found.level(), expected.level()) << what;
  EXPECT_EQ(found.scale(), expected.scale()) << what;
  EXPECT_EQ(found.magnitude(), expected.magnitude()) << what;
  EXPECT_EQ(found.precision_bits(), expected.precision_bits()) << what;
}

TEST_P(CkksVerbs, ProductsAtOnceHaveTheBitsAndTheBoundOfTheVerbsInTurn) {
  const Evaluator& e = client->evaluator;
  const RelinearizationKey& key = client->relinearization;
  for (u32 level = a.level(); level != 0; --level) {
    const Ciphertext left = e.mod_switch(a, level), right = e.mod_switch(b, level), wide = e.multiply(left, right),
                     product = e.rescale(e.relinearize(wide, key));
    expect_same(e.multiply_relinearize_rescale(left, right, key), product, "product");
    expect_same(e.relinearize_rescale(wide, key), product, "relinearization");
    expect_same(e.multiply_relinearize_rescale(left, left, key), e.rescale(e.relinearize(e.square(left), key)),
                "square");
    Ciphertext in_place = e.negate(e.negate(left));
    e.multiply_relinearize_rescale_into(in_place, in_place, right, key);
    expect_same(in_place, product, "in place");
    in_place = e.multiply(left, right);
    e.relinearize_rescale_into(in_place, in_place, key);
    expect_same(in_place, product, "relinearization in place");
    expect_same(e.relinearize_rescale(e.relinearize(wide, key), key), product, "two parts");
  }
}

TEST_P(CkksVerbs, ProductsAtOnceAreDividedOnce) {
  const testing::Client fusing(testing::parameters_of(GetParam().shape), "cpu");  // other devices may compose the verb
  const Ciphertext x = fusing.encrypt(testing::random_values(fusing.context.slots(), 5));
  const auto records = ringfort::testing::records_of(
      fusing.context, [&] { (void)fusing.evaluator.multiply_relinearize_rescale(x, x, fusing.relinearization); });
  u32 divisions = 0;
  for (const VerbRecord& record : records)
    divisions += record.verb == "mod_down" || record.verb == "mod_down_rescale" ? 1 : 0;
  EXPECT_EQ(divisions, 1u);
}

TEST_P(CkksVerbs, ProductsWithPlaintextsAndIntegers) {
  const Evaluator& e = client->evaluator;
  const Plaintext p = client->encoder.encode_public(y);
  expect(e.rescale(e.multiply_plain(a, p)), each([&](u32 i) { return x[i] * y[i]; }));
  expect(e.multiply_integer(a, -7), each([&](u32 i) { return -7 * x[i]; }));
  expect(e.upscale(a, 5), x);
  EXPECT_EQ(e.upscale(a, 5).scale(), 5 * a.scale());
}

TEST_P(CkksVerbs, SumsOfProductsAreRelinearizedOnce) {
  const Evaluator& e = client->evaluator;
  Ciphertext sum = e.multiply(a, b);
  e.multiply_add_into(sum, a, a);
  e.multiply_add_into(sum, b, b);
  const Values expected = each([&](u32 i) { return x[i] * y[i] + x[i] * x[i] + y[i] * y[i]; });
  expect(sum, expected);
  EXPECT_EQ(testing::residues(sum), testing::residues(e.add(e.add(e.multiply(a, b), e.square(a)), e.square(b))));
  const auto records = ringfort::testing::records_of(client->context, [&] { e.multiply_add_into(sum, a, b); });
  u64 products = 0;
  for (const VerbRecord& record : records) {
    // with 32-bit residues, the device composes inner_product from multiply_add
    EXPECT_TRUE(record.verb == "inner_product" || record.verb == "multiply_add") << record.verb;
    products += record.multiplications;
  }
  const KeyContext::State& k = *client->context.keys().state();
  EXPECT_EQ(products, u64{4} * k.chain.data(a.level()).count * k.p.n);
  e.subtract_into(sum, sum, e.multiply(a, b));
  expect(e.rescale(e.relinearize(sum, client->relinearization)), expected);
  std::vector<Ciphertext> left, right;
  std::vector<Plaintext> known;
  for (int i = 0; i < 3; ++i) {
    left.push_back(i == 1 ? b.clone() : a.clone());
    right.push_back(i == 0 ? b.clone() : i == 1 ? b.clone() : a.clone());
    known.push_back(client->encoder.encode_public(i == 2 ? x : y));
  }
  expect(e.inner_product(left, right), expected);
  EXPECT_EQ(testing::residues(e.inner_product(left, right)), testing::residues(sum));
  expect(e.inner_product_plain(left, known), each([&](u32 i) { return x[i] * y[i] + y[i] * y[i] + x[i] * x[i]; }));
}

TEST_P(CkksVerbs, LevelsAreLeftWithoutChangingTheValue) {
  const Ciphertext low = client->evaluator.mod_switch(a, 0);
  EXPECT_EQ(low.level(), 0u);
  EXPECT_EQ(low.scale(), a.scale());
  EXPECT_EQ(low.precision_bits(), a.precision_bits());
  expect(low, x);
}

TEST_P(CkksVerbs, RotationsConjugationAndSumsOfSlots) {
  const Evaluator& e = client->evaluator;
  for (const i64 step : {1, 2, -3, 5, 0}) {  // 5 is composed of 4 and 1
    expect(e.rotate(a, step, client->galois), each([&](u32 i) { return x[(i + slots() + step) % slots()]; }));
  }
  expect(e.conjugate(a, client->galois), x);
  expect(e.sum_slots(a, 8, client->galois), each([&](u32 i) {
           double sum = 0;
           for (u32 j = 0; j < 8; ++j) sum += x[(i + j) % slots()];
           return sum;
         }));
}

TEST_P(CkksVerbs, RotationsAtEveryLevelAreCorrect) {
  for (u32 level = 0; level <= a.level(); ++level) {
    const Ciphertext low = client->evaluator.mod_switch(a, level);
    expect(client->evaluator.rotate(low, 1, client->galois), each([&](u32 i) { return x[(i + 1) % slots()]; }));
  }
}

TEST_P(CkksVerbs, RotatingManyTimesGivesTheBitsOfRotatingOnce) {
  const std::vector<i64> steps = {4, 1, 5, 0, -3};
  const std::vector<Ciphertext> many = client->evaluator.rotate_many(a, steps, client->galois);
  ASSERT_EQ(many.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(testing::residues(many[i]), testing::residues(client->evaluator.rotate(a, steps[i], client->galois)))
        << steps[i];
  }
}

TEST_P(CkksVerbs, ComplexValuesAreConjugated) {
  std::vector<std::complex<double>> z(slots()), out(slots());
  for (u32 i = 0; i < slots(); ++i) z[i] = std::complex<double>(x[i], y[i]) / 2.0;
  const Ciphertext c = client->encryptor.encrypt(client->encoder.encode(std::span<const std::complex<double>>(z)));
  client->encoder.decode_raw(client->decryptor.decrypt(client->evaluator.conjugate(c, client->galois)), std::span(out));
  for (u32 i = 0; i < slots(); ++i)
    EXPECT_LT(std::abs(out[i] - std::conj(z[i])), testing::claimed_error(*client, c) * 64) << i;
}

TEST_P(CkksVerbs, ResultsMayTakeTheMemoryOfAnOperand) {
  const Evaluator& e = client->evaluator;
  const Ciphertext sum = e.add(a, b), product = e.rescale(e.relinearize(e.multiply(a, b), client->relinearization)),
                   rotated = e.rotate(a, 1, client->galois);
  Ciphertext in_place = e.negate(e.negate(a));
  e.add_into(in_place, in_place, b);
  EXPECT_EQ(testing::residues(in_place), testing::residues(sum));
  in_place = e.negate(e.negate(a));
  e.multiply_into(in_place, in_place, b);
  e.relinearize_into(in_place, in_place, client->relinearization);
  e.rescale_into(in_place, in_place);
  EXPECT_EQ(testing::residues(in_place), testing::residues(product));
  in_place = e.negate(e.negate(a));
  e.rotate_into(in_place, in_place, 1, client->galois);
  EXPECT_EQ(testing::residues(in_place), testing::residues(rotated));
  Ciphertext used = e.negate(b);  // its memory, which has another value, is reused
  e.rotate_into(used, a, 1, client->galois);
  EXPECT_EQ(testing::residues(used), testing::residues(rotated));
}

TEST_P(CkksVerbs, TheAutomaticEvaluatorAlignsLevelsAndScales) {
  const AutomaticEvaluator& e = client->automatic;
  const Ciphertext square = e.square(a);
  EXPECT_EQ(square.scale(), client->context.scale(square.level()));
  expect(e.add(square, b), each([&](u32 i) { return x[i] * x[i] + y[i]; }));
  expect(e.subtract(b, square), each([&](u32 i) { return y[i] - x[i] * x[i]; }));
  expect(e.multiply(square, b), each([&](u32 i) { return x[i] * x[i] * y[i]; }));
  expect(e.add_plain(square, Values(slots(), 0.25)), each([&](u32 i) { return x[i] * x[i] + 0.25; }));
  expect(e.multiply_plain(e.add_plain(a, 1.0), 2.5), each([&](u32 i) { return (x[i] + 1) * 2.5; }));
  std::vector<std::complex<double>> half(slots(), {0, 0.5});
  expect(
      e.multiply_plain(e.multiply_plain(a, std::span<const std::complex<double>>(half)), std::complex<double>(0, -2)),
      x);
  expect(e.conjugate(e.add_plain(a, std::complex<double>(0.5, 0.25))), each([&](u32 i) { return x[i] + 0.5; }));
  expect(e.power(a, 3), each([&](u32 i) { return x[i] * x[i] * x[i]; }));
  expect(e.power(a, 4), each([&](u32 i) { return std::pow(x[i], 4); }));
  EXPECT_EQ(e.power(a, 4).level() + 2, a.level());
  const Ciphertext by_hand =
      client->evaluator.rescale(client->evaluator.relinearize(client->evaluator.square(a), client->relinearization));
  EXPECT_EQ(testing::residues(square), testing::residues(by_hand));
}

TEST(CkksAutomatic, LevelsOfMoreThanAWordAreAlignedToTheLastBit) {
  testing::choose_seed(3);
  const Client client(testing::parameters_of(testing::levels_above_a_word()));
  const Values x = testing::random_values(client.context.slots(), 4);
  const Ciphertext a = client.encrypt(x), sum = client.automatic.add(client.automatic.square(a), a);
  Values expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * x[i] + x[i];
  EXPECT_EQ(sum.scale(), client.context.scale(sum.level()));
  EXPECT_LE(testing::largest_difference(client.decrypt(sum), expected), testing::claimed_error(client, sum));
  EXPECT_GE(sum.precision_bits(), client.automatic.square(a).precision_bits() - 1);  // a is the more precise operand
}

Shape plain_shape() { return {}; }

INSTANTIATE_TEST_SUITE_P(Chains, CkksVerbs,
                         ::testing::Values(Named{"OneSpecialPrime", plain_shape()}, Named{"Hybrid", hybrid()},
                                           Named{"ShortWords", testing::short_words()}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ringfort::ckks
