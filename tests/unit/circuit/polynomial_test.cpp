// SPDX-License-Identifier: Apache-2.0
// Compares encrypted evaluation of random polynomials with evaluation in cleartext. The coefficients belong to powers
// of x or to Chebyshev polynomials on the domain [low, high]. Values must be within the bound of the result. The tests
// also check the numbers of levels and products.
#include <bit>
#include <cmath>

#include "circuit/chebyshev.h"
#include "support/allocation.h"
#include "support/ckks.h"
#include "support/devices.h"

namespace ringfort::ckks::polynomial_test {
namespace {

using testing::Client;
using testing::Shape;
using testing::Values;

Shape deep(u32 levels) {
  Shape shape;
  shape.n = 64;
  shape.levels = levels;
  shape.first_bits = 55;
  shape.special_bits = 55;
  shape.bits = 45;
  return shape;
}

const Client& client() {
  static const Client client(testing::parameters_of(deep(8)));
  return client;
}

double plain(const Polynomial& p, double x) {
  const double t = p.basis == Basis::power ? x : (2 * x - p.low - p.high) / (p.high - p.low);
  double sum = 0, before = 1, now = t;  // values of the basis polynomials k - 1 and k
  for (std::size_t k = 0; k < p.coefficients.size(); ++k) {
    if (k == 0) sum += p.coefficients[0];
    else {
      sum += p.coefficients[k] * now;
      const double next = p.basis == Basis::power ? now * t : 2 * t * now - before;
      before = now;
      now = next;
    }
  }
  return sum;
}

Polynomial random_polynomial(Basis basis, u32 degree, double low = -1, double high = 1) {
  Polynomial p;
  p.basis = basis;
  p.low = low;
  p.high = high;
  p.coefficients = testing::random_values(degree + 1, 100 + degree, 1.0);
  return p;
}

// Checks the encrypted evaluation, and returns log2(bound / error).
double check(const Client& c, const Polynomial& p, const Ciphertext& x, const Values& values) {
  const Ciphertext y = PolynomialEvaluator(c.context, c.relinearization).evaluate(x, p);
  Values expected;
  for (const double value : values) expected.push_back(plain(p, value));
  const double error = testing::largest_difference(c.decrypt(y), expected), bound = testing::claimed_error(c, y);
  EXPECT_LE(error, bound + 1e-12);
  EXPECT_LT(bound, 1e-2);
  for (const double value : expected) EXPECT_LE(std::abs(value), y.magnitude() * (1 + 1e-12));
  EXPECT_EQ(y.level(), x.level() - levels_of(p));
  EXPECT_EQ(y.scale(), c.context.scale(y.level()));
  return std::log2(bound / error);
}

TEST(Polynomial, OfEveryDegreeTo63InBothBasesIsEvaluatedWithinItsBoundInTheFewestLevels) {
  const Values values = testing::random_values(client().context.slots(), 1);
  const Ciphertext x = client().encrypt(values);
  for (u32 degree = 0; degree < 64; ++degree) {
    for (const Basis basis : {Basis::power, Basis::chebyshev}) {
      SCOPED_TRACE("degree " + std::to_string(degree) + ", basis " + std::to_string(static_cast<int>(basis)));
      const Polynomial p = random_polynomial(basis, degree);
      EXPECT_EQ(levels_of(p), static_cast<u32>(std::bit_width(degree)));
      check(client(), p, x, values);
    }
  }
}

TEST(Polynomial, OfAnotherDomainTakesOneLevelMore) {
  const auto& c = client();
  Values values = testing::random_values(c.context.slots(), 2, 2.0);
  for (double& value : values) value += 3;  // the values are in 1 .. 5
  const Ciphertext x = c.encryptor.encrypt(
      c.encoder.encode(std::span<const double>(values), {.level = {}, .scale = {}, .magnitude = 5}));
  for (const u32 degree : {1u, 2u, 7u, 12u, 31u}) {
    SCOPED_TRACE(degree);
    const Polynomial p = random_polynomial(Basis::chebyshev, degree, 1, 5);
    EXPECT_EQ(levels_of(p), static_cast<u32>(std::bit_width(degree)) + (degree > 1));
    check(c, p, x, values);
  }
}

TEST(Polynomial, OfACiphertextWithAnotherScaleCorrectsItWhileItMapsTheDomain) {
  const auto& c = client();
  const Values values = testing::random_values(c.context.slots(), 3);
  const Ciphertext x = c.encryptor.encrypt(
      c.encoder.encode(std::span<const double>(values), {.level = {}, .scale = 0x1p43, .magnitude = 1}));
  const PolynomialEvaluator evaluator(c.context, c.relinearization);
  const Polynomial wide = random_polynomial(Basis::chebyshev, 6, -2, 2);
  check(c, wide, x, values);
  const Polynomial unit = random_polynomial(Basis::chebyshev, 6);
  EXPECT_EQ(evaluator.evaluate(x, unit).level(), x.level() - levels_of(unit) - 1);
}

TEST(Polynomial, WithFewCoefficientsSkipsZeros) {
  const Values values = testing::random_values(client().context.slots(), 4);
  const Ciphertext x = client().encrypt(values);
  Polynomial odd = random_polynomial(Basis::chebyshev, 31);
  const u32 all = products_of(odd);
  for (std::size_t k = 0; k < 32; k += 2) odd.coefficients[k] = 0;
  EXPECT_LT(products_of(odd), all);
  check(client(), odd, x, values);
  Polynomial single;
  single.coefficients = Values(33);
  single.coefficients[32] = 0.5;
  EXPECT_EQ(products_of(single), 5u);
  check(client(), single, x, values);
  single.coefficients.resize(40);  // adds zeros as the highest coefficients
  EXPECT_EQ(levels_of(single), 6u);
}

TEST(Polynomial, TakesFewerProductsThanHornersRule) {
  // [PatersonStockmeyer73] needs 2 sqrt(degree) + log2(degree) products. Our evaluation needs more, because it
  // divides the polynomial such that the depth is smallest.
  for (const u32 degree : {7u, 15u, 31u, 63u}) {
    const double root = std::sqrt(degree + 1.0), log = std::log2(degree + 1.0);
    EXPECT_LE(products_of(random_polynomial(Basis::chebyshev, degree)), 2 * root + 2 * log) << degree;
  }
}

// A polynomial may approximate a function. `error` is the largest difference, and `magnitude` bounds the function.
TEST(Polynomial, ThatStandsForAFunctionCarriesItsErrorAndMagnitude) {
  const auto& c = client();
  const Ciphertext x = c.encrypt(testing::random_values(c.context.slots(), 5));
  const PolynomialEvaluator evaluator(c.context, c.relinearization);
  Polynomial p = random_polynomial(Basis::chebyshev, 5);
  const Ciphertext exact = evaluator.evaluate(x, p);
  p.error = 0.125;
  p.magnitude = 0.5;
  const Ciphertext approximate = evaluator.evaluate(x, p);
  EXPECT_NEAR(std::exp2(-approximate.precision_bits() - 1) - std::exp2(-exact.precision_bits() - 1), 0.125, 1e-12);
  EXPECT_EQ(approximate.magnitude(), 0.5);
  const Ciphertext declared = declare_approximation(exact, 8, 0.125);
  EXPECT_EQ(declared.precision_bits(), approximate.precision_bits());
  EXPECT_EQ(declared.magnitude(), std::min(8.0, exact.magnitude() + 0.125));
  EXPECT_EQ(testing::residues(declared), testing::residues(exact));
}

TEST(Polynomial, InterpolatesAFunction) {
  const auto sine = [](double x) { return std::sin(3 * x) + x; };
  const Polynomial p = interpolate(sine, -0.5, 1.5, 23);
  for (int i = 0; i <= 1000; ++i) EXPECT_NEAR(plain(p, -0.5 + i * 0.002), sine(-0.5 + i * 0.002), 1e-13);
  const Polynomial square = interpolate([](double x) { return x * x; }, -1, 1, 2);  // (T_0 + T_2) / 2
  EXPECT_NEAR(square.coefficients[0], 0.5, 1e-15);
  EXPECT_NEAR(square.coefficients[1], 0, 1e-15);
  EXPECT_NEAR(square.coefficients[2], 0.5, 1e-15);
}

template <class F>
void expect_refused(Code code, F operation, const std::string& text) {
  try {
    operation();
    ADD_FAILURE() << "nothing was refused, " << text;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code);
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

TEST(Polynomial, RefusesWhatItCannotEvaluate) {
  const auto& c = client();
  const Ciphertext x = c.encrypt(Values{0.5});
  const PolynomialEvaluator evaluator(c.context, c.relinearization);
  Polynomial p = random_polynomial(Basis::chebyshev, 7);
  expect_refused(
      Code::depth_exhausted, [&] { (void)evaluator.evaluate(c.automatic.align(x, 2), p); }, "takes 3 levels");
  expect_refused(Code::invalid_argument, [&] { (void)evaluator.evaluate(Ciphertext(), p); }, "empty");
  expect_refused(Code::invalid_argument, [&] { (void)declare_approximation(x, 1, -1); }, "zero or more");
  EXPECT_FALSE(x.bound_is_untrusted());
  EXPECT_TRUE(mark_untrusted(x).bound_is_untrusted());
  expect_refused(Code::invalid_argument, [&] { (void)declare_approximation(Ciphertext(), 1, 1); }, "empty");
  expect_refused(Code::noise_bound_exceeded, [&] { (void)declare_approximation(x, 1, 4); }, "");
  p.high = 0.5;
  p.low = -0.5;
  expect_refused(Code::invalid_argument, [&] { (void)evaluator.evaluate(x, p); }, "domain ends at");
  p.low = 0.5;
  expect_refused(Code::invalid_argument, [&] { (void)levels_of(p); }, "not an interval");
  const auto pole = [](double x) { return 1 / (x - x); };
  expect_refused(Code::invalid_argument, [&] { (void)interpolate(pole, -1, 1, 3); }, "NaN or infinite");
  expect_refused(Code::invalid_argument, [&] { (void)interpolate(pole, -1, 1, 4096); }, "degree 4096");
  expect_refused(Code::invalid_argument, [&] { (void)interpolate(nullptr, -1, 1, 3); }, "empty");
  expect_refused(Code::invalid_argument, [&] { (void)interpolate([](double x) { return x; }, 1, 0, 3); }, "interval");
  p = Polynomial();
  expect_refused(Code::invalid_argument, [&] { (void)levels_of(p); }, "no coefficients");
  p.coefficients = {1, std::nan("")};
  expect_refused(Code::invalid_argument, [&] { (void)products_of(p); }, "NaN");
}

TEST(Polynomial, FailsCleanlyIfAnyAllocationFails) {
  ASSERT_TRUE(ringfort::testing::allocations_are_fault_points());
  testing::choose_seed(11);
  Shape shape = deep(3);
  shape.n = 16;
  const Client c(testing::parameters_of(shape), "ref", {});
  const Values values = testing::random_values(8, 12);
  const Ciphertext x = c.encrypt(values);
  const std::vector<u64> before = testing::residues(x);
  const Polynomial p = random_polynomial(Basis::chebyshev, 3, -2, 2);
  Ciphertext y;
  const auto failures = ringfort::testing::fail_every_allocation([&](u64) {
    try {
      y = PolynomialEvaluator(c.context, c.relinearization).evaluate(x, p);
      return true;
    } catch (const std::bad_alloc&) {
    } catch (const Error& e) { EXPECT_EQ(e.code(), Code::out_of_memory) << e.what(); }
    return false;
  });
  EXPECT_GT(failures.count, 20u);
  EXPECT_TRUE(failures.are_mostly_reported()) << failures.unreported.size();
  EXPECT_EQ(testing::residues(x), before);
  EXPECT_LE(std::abs(c.decrypt(y)[0] - plain(p, values[0])), testing::claimed_error(c, y));
}

TEST(Polynomial, WithScalesAboveADoubleIsWithinItsBound) {
  for (Shape shape : {testing::words_of_short_form(), testing::levels_above_a_word()}) {  // scales of 2^56 and 2^66
    shape.levels = 5;
    const Client c(testing::parameters_of(shape), "", {});
    Values values = testing::random_values(c.context.slots(), 13, 2.0);
    const Ciphertext x = c.encryptor.encrypt(
        c.encoder.encode(std::span<const double>(values), {.level = {}, .scale = {}, .magnitude = 2}));
    Polynomial p = random_polynomial(Basis::chebyshev, 15, -2, 2);
    for (double& coefficient : p.coefficients) coefficient /= 16;  // the first prime allows values up to 4
    check(c, p, x, values);
    p.basis = Basis::power;
    for (double& value : values) value /= 2;
    check(c, p, c.encrypt(values), values);
  }
}

TEST(Polynomial, GivesTheSameBitsOnEveryDevice) {
  const Polynomial p = random_polynomial(Basis::chebyshev, 7, -2, 2);
  std::vector<u64> expected;
  for (const std::string_view device : ringfort::testing::general_devices()) {
    Shape shape = testing::words_of_short_form();  // with its default n = 64, because simulated devices are slow
    shape.levels = 4;
    testing::choose_seed(9);
    const Client c(testing::parameters_of(shape), device, {});
    testing::choose_seed(10);
    const Ciphertext y =
        PolynomialEvaluator(c.context, c.relinearization).evaluate(c.encrypt(testing::random_values(32, 6)), p);
    const std::vector<u64> found = testing::residues(y);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << device;
  }
}

TEST(Chebyshev, ABoundOnValuesIsAboveTheMaximumAndCloseToIt) {
  for (const u32 degree : {1u, 4u, 17u, 63u}) {
    const Polynomial p = random_polynomial(Basis::chebyshev, degree);
    double most = 0;
    for (int i = -20000; i <= 20000; ++i) most = std::max(most, std::abs(plain(p, i / 20000.0)));
    EXPECT_GE(largest_value(p.coefficients), most) << degree;
    EXPECT_LE(largest_value(p.coefficients), 1.01 * most) << degree;
  }
}

}  // namespace
}  // namespace ringfort::ckks::polynomial_test
