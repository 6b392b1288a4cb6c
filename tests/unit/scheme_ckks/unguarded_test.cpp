// SPDX-License-Identifier: Apache-2.0
// Tests contexts without bounds (ChainParameters::unguarded_reason): the words are those of a context with bounds, no
// verb refuses an operand for its noise, and decoding measures how long the phase is. Also tests declared scales.
#include <cmath>

#include "ringfort/files.h"
#include "ringfort/residues.h"
#include "support/ckks.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Shape;
using testing::Values;

Parameters unguarded(const Shape& shape) {
  Parameters p = testing::parameters_of(shape);
  p.chain.unguarded_reason = "a test measures errors itself";
  p.magnitude = 0x1p100;
  return p;
}

Client client_of(const Parameters& p, u64 seed) { return (testing::choose_seed(seed), Client(p)); }

EncodeOptions at(double scale) { return {.level = std::nullopt, .scale = scale, .magnitude = std::nullopt}; }

double largest_difference(const Values& a, const Values& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

Ciphertext program(const Client& c, const Values& values) {
  testing::choose_seed(5);
  const Ciphertext x = c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40)));
  const Ciphertext square = c.evaluator.multiply_relinearize_rescale(x, x, c.relinearization);
  return c.evaluator.add(c.evaluator.rotate(square, 1, c.galois), square);
}

TEST(UnguardedCkks, WordsAndDecodedValuesAreThoseOfAGuardedContext) {
  const Values values = testing::random_values(32, 7);
  const Client guarded = client_of(testing::parameters_of({}), 3), free = client_of(unguarded({}), 3);
  const Ciphertext a = program(guarded, values), b = program(free, values);
  EXPECT_EQ(residues(a), residues(b));
  EXPECT_EQ(guarded.decrypt(a), free.decrypt(b));
  EXPECT_EQ(b.precision_bits(), -std::numeric_limits<double>::infinity());
}

TEST(UnguardedCkks, ResultsThatAGuardedContextCannotPromiseAreComputed) {
  const Client guarded = client_of(testing::parameters_of({}), 3), free = client_of(unguarded({}), 3);
  const Values values = testing::random_values(32, 8);
  const double scale = 0x1p18;  // a product at this scale has an error bound above the product
  const auto square = [&](const Client& c) {
    const Ciphertext x = c.encryptor.encrypt(c.encoder.encode(values, at(scale)));
    return c.evaluator.rescale(c.evaluator.relinearize(c.evaluator.square(x), c.relinearization));
  };
  expect_refused(Code::noise_bound_exceeded, [&] { (void)square(guarded); }, "scale");
  EXPECT_NO_THROW((void)free.decrypt(square(free)));

  Ciphertext x = free.encryptor.encrypt(free.encoder.encode(values, at(0x1p40)));
  while (x.level() > 0) x = free.evaluator.mod_switch(x, x.level() - 1);
  EXPECT_NO_THROW((void)free.decrypt(free.evaluator.square(x)));  // 2^80 does not fit the modulus of 50 bits
}

TEST(UnguardedCkks, DecodingMeasuresPhasesOfAnyLength) {
  Shape shape;
  shape.levels = 9;
  const Client c = client_of(unguarded(shape), 4);
  const Values values = testing::random_values(32, 9);
  Values expected = values;
  Ciphertext x = c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40)));
  for (int i = 0; i < 3; ++i) {  // scales 2^80, 2^160, 2^320: longer than two words
    x = c.evaluator.relinearize(c.evaluator.square(x), c.relinearization);
    for (double& value : expected) value *= value;
    EXPECT_LT(largest_difference(c.decrypt(x), expected), 0x1p-20) << "scale 2^" << std::log2(x.scale());
  }
}

TEST(UnguardedCkks, ChainsOfAnyLengthDecrypt) {
  Shape shape;
  shape.levels = 28;
  shape.bits = 45;  // 1310 bits
  const Client c = client_of(unguarded(shape), 4);
  const Values values = testing::random_values(32, 13);
  EXPECT_LT(largest_difference(c.decrypt(c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40)))), values), 0x1p-20);
}

TEST(UnguardedCkks, ValuesThatDoNotFitTheModulusAreRefused) {
  const Client c = client_of(unguarded({}), 4);
  const Values huge(32, 0x1p20);
  expect_refused(
      Code::invalid_argument,
      [&] { (void)c.encoder.encode(huge, {.level = 0, .scale = 0x1p40, .magnitude = std::nullopt}); }, "higher level");
  EXPECT_NO_THROW((void)c.encoder.encode(huge, {.level = 1, .scale = 0x1p40, .magnitude = std::nullopt}));
}

TEST(UnguardedCkks, ADigitMayBeLongerThanTheSpecialPrime) {
  Shape shape;
  shape.special_bits = 30;  // the first digit has 50 bits
  expect_refused(Code::invalid_argument, [&] { (void)Context(testing::parameters_of(shape)); }, "digit");
  const Client c = client_of(unguarded(shape), 6);
  const Values values = testing::random_values(32, 10);
  const Ciphertext x = c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40)));
  Values rotated(values);
  std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
  EXPECT_LT(largest_difference(c.decrypt(c.evaluator.rotate(x, 1, c.galois)), rotated), 0x1p-6);
}

TEST(UnguardedCkks, ObjectsDoNotMeetThoseOfAGuardedContextAndNeedNoRelease) {
  const Client guarded = client_of(testing::parameters_of({}), 3), free = client_of(unguarded({}), 3);
  Parameters same = testing::parameters_of({});
  same.chain.unguarded_reason = "a test";
  const Ciphertext x = guarded.encrypt({1.0});
  expect_refused(Code::parameters_mismatch, [&] { (void)x.to(Context(same)); }, "one Parameters");
  expect_refused(
      Code::io_digest, [&] { (void)io::decode_ciphertext(Context(same), io::encode_ciphertext(guarded.context, x)); },
      "context");
  Parameters releases = unguarded({});
  releases.release = {.bits = 40, .queries = 1};
  expect_refused(Code::invalid_argument, [&] { (void)Context(releases); }, "release");
  expect_refused(Code::unsupported, [&] { (void)io::encode_parameters(free.context); }, "store");
}

TEST(UnguardedCkks, FilesKeepWordsAndScaleAndHaveNoBound) {
  const Client c = client_of(unguarded({}), 3);
  const Ciphertext x = program(c, testing::random_values(32, 11));
  for (const bool trust : {false, true}) {
    const Ciphertext read = io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, x), trust);
    EXPECT_EQ(residues(read), residues(x));
    EXPECT_EQ(read.scale(), x.scale());
    EXPECT_EQ(c.decrypt(read), c.decrypt(x));
  }
}

TEST(DeclaredScale, MultipliesValuesAndLetsNearlyEqualScalesMeet) {
  const Client c = client_of(testing::parameters_of({}), 3);
  const Values values = testing::random_values(32, 12);
  const Ciphertext x = c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40)));
  const Ciphertext y = c.encryptor.encrypt(c.encoder.encode(values, at(0x1p40 + 1)));
  expect_refused(Code::parameters_mismatch, [&] { (void)c.evaluator.add(x, y); }, "scale");
  const Ciphertext sum = c.evaluator.add(x, c.evaluator.declare_scale(y, x.scale()));
  const Ciphertext half = c.evaluator.declare_scale(x, 2 * x.scale());
  const Values sums = c.decrypt(sum), halves = c.decrypt(half);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(sums[i], 2 * values[i], 0x1p-20);
    EXPECT_NEAR(halves[i], values[i] / 2, 0x1p-20);
  }
  EXPECT_NEAR(half.magnitude(), x.magnitude() / 2, 0x1p-30);
  EXPECT_GE(half.magnitude(), x.magnitude() / 2);
  EXPECT_EQ(residues(half), residues(x));
}

TEST(DeclaredScale, RefusesNumbersThatAreNoScale) {
  const Client c = client_of(testing::parameters_of({}), 3);
  const Ciphertext x = c.encrypt({1.0});
  for (const double scale : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_refused(Code::invalid_argument, [&] { (void)c.evaluator.declare_scale(x, scale); }, "above zero");
  expect_refused(Code::invalid_argument, [&] { (void)c.evaluator.declare_scale(Ciphertext(), 2); }, "encrypt");
}

}  // namespace
}  // namespace ringfort::ckks
