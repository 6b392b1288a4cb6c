// SPDX-License-Identifier: Apache-2.0
// Tests that every verb of BFV and BGV equals integers modulo t in cleartext. The tests use residues of 64 and of 32
// bits, key switches with digits of one prime and of two primes, and plain moduli of two sizes.
#include "support/integers.h"
#include "support/observed.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

template <class S, int kShape, u64 kT>
struct Case {
  using Scheme = S;
  static constexpr u64 t = kT;
  static Shape shape() {
    return kShape == 0 ? testing::bfv_shape() : kShape == 1 ? testing::bgv_shape() : testing::short_words();
  }
};

template <class C>
class IntegerVerbs : public ::testing::Test {
 protected:
  using S = typename C::Scheme;
  IntegerVerbs() {
    testing::choose_seed(41);
    client.emplace(testing::parameters_of<S>(C::shape(), t));
    x = testing::random_values(n(), t, 1);
    y = testing::random_values(n(), t, 2);
    a = client->encrypt(x);
    b = client->encrypt(y);
  }
  [[nodiscard]] u32 n() const { return client->context.parameters().chain.n; }
  template <class F>
  [[nodiscard]] Values each(F f) const {
    return testing::each(n(), t, f);
  }
  void expect(const Ciphertext<S>& c, const Values& expected) const {
    EXPECT_EQ(client->decrypt(c), expected);
    EXPECT_GT(c.budget_bits(), 0);
  }
  static constexpr u64 t = C::t;
  std::optional<Client<S>> client;
  Values x, y;
  Ciphertext<S> a, b;
};

using Cases = ::testing::Types<Case<bfv::Scheme, 0, 257>, Case<bfv::Scheme, 1, 65537>, Case<bfv::Scheme, 2, 257>,
                               Case<bgv::Scheme, 0, 257>, Case<bgv::Scheme, 1, 65537>, Case<bgv::Scheme, 2, 257>>;
TYPED_TEST_SUITE(IntegerVerbs, Cases);

TYPED_TEST(IntegerVerbs, EncryptionsUnderEitherKeyComeBack) {
  this->expect(this->a, this->x);
  const Encryptor<typename TypeParam::Scheme> open(this->client->context, this->client->open);
  this->expect(open.encrypt(this->client->encoder.encode(this->y)), this->y);
}

TYPED_TEST(IntegerVerbs, SumsDifferencesAndNegation) {
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  this->expect(e.add(this->a, this->b), this->each([&](u32 i) { return x[i] + y[i]; }));
  this->expect(e.subtract(this->a, this->b), this->each([&](u32 i) { return x[i] - y[i]; }));
  this->expect(e.negate(this->a), this->each([&](u32 i) { return -x[i]; }));
  const auto p = this->client->encoder.encode(y);
  this->expect(e.add_plain(this->a, p), this->each([&](u32 i) { return x[i] + y[i]; }));
  this->expect(e.subtract_plain(this->a, p), this->each([&](u32 i) { return x[i] - y[i]; }));
  std::vector<Ciphertext<typename TypeParam::Scheme>> terms;
  for (int i = 0; i < 3; ++i) terms.push_back(this->b.clone());
  this->expect(e.add_many(terms), this->each([&](u32 i) { return 3 * y[i]; }));
}

TYPED_TEST(IntegerVerbs, ProductsBeforeAndAfterRelinearization) {
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  const auto wide = e.multiply(this->a, this->b);
  EXPECT_EQ(wide.size(), 3u);
  const Values product = this->each([&](u32 i) { return x[i] * y[i]; });
  this->expect(wide, product);
  const auto narrow = e.relinearize(wide, this->client->relinearization);
  EXPECT_EQ(narrow.size(), 2u);
  this->expect(narrow, product);
  this->expect(e.square(this->a), this->each([&](u32 i) { return x[i] * x[i]; }));
  EXPECT_EQ(testing::residues(e.square(this->a)), testing::residues(e.multiply(this->a, this->a.clone())));
  const auto p = this->client->encoder.encode(y);
  this->expect(e.multiply_plain(this->a, p), product);
  this->expect(e.multiply_integer(this->a, -7), this->each([&](u32 i) { return -7 * x[i]; }));
}

TYPED_TEST(IntegerVerbs, SumsOfProductsAreRelinearizedOnce) {
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  std::vector<Ciphertext<typename TypeParam::Scheme>> left, right;
  std::vector<Plaintext<typename TypeParam::Scheme>> known;
  for (int i = 0; i < 3; ++i) {
    left.push_back(i == 1 ? this->b.clone() : this->a.clone());
    right.push_back(i == 2 ? this->a.clone() : this->b.clone());
    known.push_back(this->client->encoder.encode(i == 2 ? x : y));
  }
  const Values expected = this->each([&](u32 i) { return x[i] * y[i] + y[i] * y[i] + x[i] * x[i]; });
  this->expect(e.relinearize(e.inner_product(left, right), this->client->relinearization), expected);
  this->expect(e.inner_product_plain(left, known), expected);
}

TYPED_TEST(IntegerVerbs, SumsOfManyTermsAreTheirSumsOneByOne) {
  using C = Ciphertext<typename TypeParam::Scheme>;
  const auto& e = this->client->evaluator;
  std::vector<C> terms, others;
  for (int i = 0; i < 2; ++i) {  // terms of two components, then of three, then of two
    terms.push_back(this->a.clone());
    terms.push_back(e.multiply(this->a, this->b));
  }
  terms.push_back(this->b.clone());
  C expected = e.add(e.add(e.add(e.add(terms[0], terms[1]), terms[2]), terms[3]), terms[4]);
  const auto &x = this->x, &y = this->y;
  this->expect(expected, this->each([&](u32 i) { return 2 * x[i] + 2 * x[i] * y[i] + y[i]; }));
  EXPECT_EQ(testing::residues(e.add_many(terms)), testing::residues(expected));
  EXPECT_EQ(e.add_many(terms).budget_bits(), expected.budget_bits());
  EXPECT_EQ(testing::residues(e.add_many(std::span(terms).first(1))), testing::residues(this->a));
  const std::vector<std::string> verbs =
      ringfort::testing::verbs_of(this->client->context, [&] { (void)e.add_many(std::span(terms).last(1)); });
  EXPECT_TRUE(verbs.empty());
  const auto p = this->client->encoder.encode(y);
  std::vector<Plaintext<typename TypeParam::Scheme>> known;
  for (std::size_t i = 0; i < terms.size(); ++i) known.push_back(p.clone());
  this->expect(e.inner_product_plain(terms, known),
               this->each([&](u32 i) { return testing::centred(2 * x[i] + 2 * x[i] * y[i] + y[i], this->t) * y[i]; }));
}

TYPED_TEST(IntegerVerbs, AProductJoinsASumInOneReduction) {
  using C = Ciphertext<typename TypeParam::Scheme>;
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  const C wide = e.multiply(this->a, this->a);
  C sum = wide.clone(), narrow = this->a.clone();
  sum = e.add(sum, wide);  // the sum owns its memory
  const C expected = e.add(sum, e.multiply(this->a, this->b));
  const std::vector<std::string> verbs =
      ringfort::testing::verbs_of(this->client->context, [&] { e.multiply_add_into(sum, this->a, this->b); });
  if constexpr (std::is_same_v<typename TypeParam::Scheme, bgv::Scheme>) {
    // with 32-bit residues, the device composes inner_product from multiply_add
    for (const std::string& verb : verbs) EXPECT_TRUE(verb == "inner_product" || verb == "multiply_add") << verb;
  }
  EXPECT_EQ(testing::residues(sum), testing::residues(expected));
  EXPECT_EQ(sum.budget_bits(), expected.budget_bits());
  this->expect(sum, this->each([&](u32 i) { return 2 * x[i] * x[i] + x[i] * y[i]; }));
  e.multiply_add_into(narrow, narrow, this->b);  // the sum has two components and is an operand
  EXPECT_EQ(testing::residues(narrow), testing::residues(e.add(this->a, e.multiply(this->a, this->b))));
  this->expect(narrow, this->each([&](u32 i) { return x[i] + x[i] * y[i]; }));
}

TYPED_TEST(IntegerVerbs, ModulusSwitchingKeepsThePlaintextAtEveryLevel) {
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  for (u32 level = 0; level <= this->a.level(); ++level) {
    const auto low = e.mod_switch(this->a, level);
    EXPECT_EQ(low.level(), level);
    this->expect(low, x);
    this->expect(e.rotate(low, 1, this->client->galois), testing::rotated(x, 1));
    this->expect(e.add_plain(low, this->client->encoder.encode(y)), this->each([&](u32 i) { return x[i] + y[i]; }));
  }
}

TYPED_TEST(IntegerVerbs, OperandsWithOtherFactorsAreAdded) {
  const auto& e = this->client->evaluator;
  const auto &x = this->x, &y = this->y;
  const u32 level = this->a.level() - 1;
  // One product is computed before a modulus switch, and the other product after it. In BGV, the correction factors of
  // the two products therefore differ.
  const auto late = e.multiply(e.mod_switch(this->a, level), e.mod_switch(this->b, level)),
             early = e.mod_switch(e.multiply(this->a, this->a), level);
  if constexpr (std::is_same_v<typename TypeParam::Scheme, bgv::Scheme>) {
    EXPECT_NE(late.state().bound.factor, early.state().bound.factor);
  }
  this->expect(e.add(late, early), this->each([&](u32 i) { return x[i] * y[i] + x[i] * x[i]; }));
  this->expect(e.subtract(late, early), this->each([&](u32 i) { return x[i] * y[i] - x[i] * x[i]; }));
  auto sum = early.clone();
  e.multiply_add_into(sum, e.mod_switch(this->b, level), e.mod_switch(this->b, level));
  this->expect(sum, this->each([&](u32 i) { return x[i] * x[i] + y[i] * y[i]; }));
  std::vector<Ciphertext<typename TypeParam::Scheme>> left, right;
  std::vector<Plaintext<typename TypeParam::Scheme>> known;
  for (int i = 0; i < 3; ++i) {
    left.push_back(i == 1 ? e.relinearize(early, this->client->relinearization) : e.mod_switch(this->b, level));
    right.push_back(e.mod_switch(this->b, level));
    known.push_back(this->client->encoder.encode(y));
  }
  const Values mixed =
      this->each([&](u32 i) { return testing::centred(x[i] * x[i], this->t) * y[i] + 2 * y[i] * y[i]; });
  const auto first = e.inner_product_plain(left, known);
  this->expect(first, mixed);
  this->expect(e.add_many(left), this->each([&](u32 i) { return x[i] * x[i] + 2 * y[i]; }));
  if (level > 1) this->expect(e.inner_product(left, right), mixed);
}

TYPED_TEST(IntegerVerbs, RotationsOfRowsExchangeOfRowsAndSums) {
  const auto& e = this->client->evaluator;
  const auto& x = this->x;
  for (const i64 step : {1, 2, -3, 5, 0})
    this->expect(e.rotate(this->a, step, this->client->galois), testing::rotated(x, step));
  const u32 row = this->n() / 2;
  this->expect(e.swap_rows(this->a, this->client->galois), this->each([&](u32 i) { return x[(i + row) % (2 * row)]; }));
  Values sums = x;
  for (const i64 step : {1, 2, 4}) {
    const Values moved = testing::rotated(sums, step);
    sums = this->each([&](u32 i) { return sums[i] + moved[i]; });
  }
  this->expect(e.sum_slots(this->a, 8, this->client->galois), sums);
  const std::vector<i64> steps = {4, 5, 1, 0};
  const auto many = e.rotate_many(this->a, steps, this->client->galois);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(testing::residues(many[i]), testing::residues(e.rotate(this->a, steps[i], this->client->galois)))
        << steps[i];
  }
}

TYPED_TEST(IntegerVerbs, ResultsMayTakeTheMemoryOfAnOperand) {
  const auto& e = this->client->evaluator;
  auto in_place = this->a.clone();
  e.multiply_into(in_place, in_place, this->b);
  EXPECT_EQ(testing::residues(in_place), testing::residues(e.multiply(this->a, this->b)));
  e.relinearize_into(in_place, in_place, this->client->relinearization);
  e.rotate_into(in_place, in_place, 1, this->client->galois);
  e.mod_switch_into(in_place, in_place, 0);
  EXPECT_EQ(
      testing::residues(in_place),
      testing::residues(e.mod_switch(
          e.rotate(e.relinearize(e.multiply(this->a, this->b), this->client->relinearization), 1, this->client->galois),
          0)));
}

TYPED_TEST(IntegerVerbs, PolynomialsWithoutSlotsMultiplyModuloTheRing) {
  const auto& e = this->client->encoder;
  const auto c = this->client->encryptor.encrypt(e.encode_coefficients(Values{0, 3})),
             d = this->client->encryptor.encrypt(e.encode_coefficients(Values{2, -1}));
  Values out(4);
  e.decode_coefficients(this->client->decryptor.decrypt(this->client->evaluator.multiply(c, d)), std::span<i64>(out));
  EXPECT_EQ(out, (Values{0, 6, -3, 0}));
}

}  // namespace
}  // namespace ringfort::integers
