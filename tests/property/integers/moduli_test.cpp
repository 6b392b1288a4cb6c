// SPDX-License-Identifier: Apache-2.0
// Computes in BFV and in BGV modulo numbers t of all kinds: powers of two, odd and even composites, primes without
// slots. Plaintexts are polynomials modulo x^n + 1. Every result is compared with schoolbook arithmetic modulo t, and
// the measured noise with the public bound.
#include "support/devices.h"
#include "support/integers.h"
#include "support/schoolbook.h"

namespace ringfort::integers::moduli_test {
namespace {

using testing::Values;

constexpr u32 kDegree = 16;
constexpr u64 kModuli[] = {
    2, 3, 4, 6, 9, 256, 1000, 1024, 97 * 193, u64{1} << 32, (u64{1} << 49) + 2, (u64{1} << 50) - 1};

testing::Shape shape() {
  testing::Shape shape;
  shape.n = kDegree;
  shape.levels = 7;
  shape.bits = shape.first_bits = shape.special_bits = 58;
  shape.special = shape.digit_limbs = 2;
  return shape;
}

// A client whose plaintexts are coefficients.
template <class S>
class Polynomials {
 public:
  Polynomials(u64 t, std::string_view device)
      : t(t),
        context(testing::parameters_of<S>(shape(), t), device),
        generator(context),
        key(generator.create_relinearization_key()),
        encoder(context),
        evaluator(context),
        decryptor_(context, generator.secret_key()) {}

  [[nodiscard]] Ciphertext<S> encrypt(const Values& values) const {
    return Encryptor<S>(context, generator.create_public_key()).encrypt(encoder.encode_coefficients(values));
  }
  [[nodiscard]] Ciphertext<S> product(const Ciphertext<S>& a, const Ciphertext<S>& b) const {
    const auto narrow = evaluator.relinearize(evaluator.multiply(a, b), key);
    return evaluator.mod_switch(narrow, narrow.level() - 1);
  }
  void expect(const Ciphertext<S>& c, const Values& expected, std::string_view what) const {
    Values found(kDegree);
    encoder.decode_coefficients(decryptor_.decrypt(c), found);
    EXPECT_EQ(found, expected) << what;
    EXPECT_GT(c.budget_bits(), 0) << what;
    EXPECT_GE(decryptor_.measured_budget_bits(c), c.budget_bits()) << what;
  }

  u64 t;
  Context<S> context;
  KeyGenerator generator;
  RelinearizationKey key;
  Encoder<S> encoder;
  Evaluator<S> evaluator;

 private:
  Decryptor<S> decryptor_;
};

// Schoolbook arithmetic modulo t.
class Clear {
 public:
  explicit Clear(u64 t) : t_(t), q_(static_cast<i64>(t)) {}
  [[nodiscard]] Values product(const Values& a, const Values& b) const { return ring_.product(a, b, q_); }
  template <class F>
  [[nodiscard]] Values each(F f) const {
    return testing::each(kDegree, t_, [&](u32 i) { return static_cast<i128>(f(i)); });
  }

 private:
  u64 t_;
  i64 q_;
  ringfort::testing::Schoolbook ring_{kDegree};
};

template <class S>
void expect_verbs(u64 t, std::string_view device) {
  SCOPED_TRACE(std::to_string(t) + " on " + std::string(device));
  testing::choose_seed(t);
  const Polynomials<S> on(t, device);
  const Clear clear(t);
  const auto& e = on.evaluator;
  EXPECT_FALSE(on.context.has_slots());
  Values x = testing::random_values(kDegree, t, t), y = testing::random_values(kDegree, t, t + 1);
  x[0] = y[1] = static_cast<i64>(t / 2);  // the largest value, and the smallest one of an odd t
  x[1] = -static_cast<i64>((t - 1) / 2);
  const auto a = on.encrypt(x), b = on.encrypt(y);
  const auto p = on.encoder.encode_coefficients(y);
  on.expect(a, x, "encryption");
  on.expect(e.add(a, b), clear.each([&](u32 i) { return x[i] + y[i]; }), "add");
  on.expect(e.subtract(a, b), clear.each([&](u32 i) { return x[i] - y[i]; }), "subtract");
  on.expect(e.negate(a), clear.each([&](u32 i) { return -x[i]; }), "negate");
  on.expect(e.add_plain(a, p), clear.each([&](u32 i) { return x[i] + y[i]; }), "add_plain");
  on.expect(e.subtract_plain(a, p), clear.each([&](u32 i) { return x[i] - y[i]; }), "subtract_plain");
  on.expect(e.multiply_plain(a, p), clear.product(x, y), "multiply_plain");
  const i64 half = static_cast<i64>(t / 2);
  for (const i64 factor : {half, -half})
    on.expect(e.multiply_integer(a, factor), clear.each([&](u32 i) { return i128{x[i]} * factor; }),
              "multiply_integer");
  const Values xy = clear.product(x, y), square = clear.product(xy, xy);
  on.expect(e.multiply(a, b), xy, "multiply");
  const auto product = on.product(a, b), fourth = on.product(product, product);
  on.expect(product, xy, "a relinearized product, one level lower");
  on.expect(fourth, square, "a square of a product");
  // In BGV, the terms have three different correction factors, unless all primes are 1 modulo t.
  const Ciphertext<S> terms[] = {e.mod_switch(a, fourth.level()), fourth.clone(),
                                 e.mod_switch(product, fourth.level())};
  const Values sum = clear.each([&](u32 i) { return i128{x[i]} + square[i] + xy[i]; });
  on.expect(e.add_many(terms), sum, "a sum of three levels");
  on.expect(e.add_plain(terms[1], p), clear.each([&](u32 i) { return i128{square[i]} + y[i]; }), "add_plain");
  on.expect(e.inner_product(terms, terms),
            clear.each([&, xx = clear.product(x, x), last = clear.product(square, square)](u32 i) {
              return i128{xx[i]} + last[i] + square[i];
            }),
            "inner_product");
}

template <class S>
class IntegerModuli : public ::testing::Test {};
using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerModuli, Schemes);

TYPED_TEST(IntegerModuli, OfEveryKindGiveTheResultsOfSchoolbookArithmetic) {
  for (const u64 t : kModuli) expect_verbs<TypeParam>(t, "");
}

TYPED_TEST(IntegerModuli, GiveTheSameResultsOnEveryDevice) {
  for (const std::string_view device : ringfort::testing::general_devices()) {
    for (const u64 t : {u64{256}, u64{1000}}) expect_verbs<TypeParam>(t, device);
  }
}

// A coefficient has at most t/2 in absolute value. If t is even, -t/2 and t/2 are the same residue.
TYPED_TEST(IntegerModuli, ReadTheHalfOfAnEvenModulusAsAPositiveNumber) {
  testing::choose_seed(7);
  for (const u64 t : kModuli) {
    const Polynomials<TypeParam> on(t, "");
    const i64 half = static_cast<i64>(t / 2);
    const Values extremes = {half, -half, 1, -1}, shown = testing::each(4, t, [&](u32 i) { return extremes[i]; });
    EXPECT_EQ(shown[1], t % 2 == 0 ? half : -half) << t;
    const auto plain = on.encoder.encode_coefficients(extremes);
    Values found(4);
    on.encoder.decode_coefficients(plain, found);
    EXPECT_EQ(found, shown) << t;
    Values padded = shown;
    padded.resize(kDegree);
    on.expect(on.encrypt(extremes), padded, std::to_string(t));
    for (const i64 outside : {half + 1, -half - 1}) {
      EXPECT_THROW((void)on.encoder.encode_coefficients(Values{outside}), Error) << t;
      EXPECT_THROW((void)on.evaluator.multiply_integer(on.encrypt({1}), outside), Error) << t;
    }
  }
}

}  // namespace
}  // namespace ringfort::integers::moduli_test
