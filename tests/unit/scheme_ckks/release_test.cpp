// SPDX-License-Identifier: Apache-2.0
// Tests releases: decryptions for other parties, which add noise to hide the error of a ciphertext. They must be
// refused unless the parameters plan them and a ledger counts them. They must have the stated noise. A plan {bits,
// queries} means that `bits` of security must remain after `queries` releases.
#include <cstring>

#include "math/random.h"
#include "support/ckks.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Shape;
using testing::Values;

Parameters planned(u32 levels = 1) {
  Shape shape;
  shape.levels = levels;
  shape.bits = shape.first_bits = shape.special_bits = 60;
  Parameters p = testing::parameters_of(shape);
  p.release = {20, 100};
  return p;
}

TEST(CkksRelease, IsRefusedUnlessPlannedAndCounted) {
  testing::choose_seed(81);
  const Client client(planned());
  const Ciphertext c = client.encrypt({0.5});
  int counted = 0;
  const CountRelease count = [&](u64, const Release&) { ++counted; };
  expect_refused(
      Code::release_refused, [&] { (void)client.decryptor.decrypt(c, {21, 100}, count); }, "Requirements::release");
  expect_refused(
      Code::release_refused, [&] { (void)client.decryptor.decrypt(c, {20, 101}, count); }, "Requirements::release");
  expect_refused(
      Code::release_refused, [&] { (void)client.decryptor.decrypt(c, {0, 1}, count); }, "Requirements::release");
  expect_refused(Code::release_refused, [&] { (void)client.decryptor.decrypt(c, {20, 100}, {}); }, "ledger");
  const Client other(testing::parameters_of({}));
  expect_refused(
      Code::release_refused, [&] { (void)other.decryptor.decrypt(other.encrypt({0.5}), {20, 1}, count); },
      "Requirements::release");
  EXPECT_EQ(counted, 0);
  const auto spent = [](u64, const Release&) { throw Error(Code::release_refused, "all spent", "make new keys"); };
  expect_refused(Code::release_refused, [&] { (void)client.decryptor.decrypt(c, {20, 100}, spent); }, "new keys");
}

TEST(CkksRelease, IsRefusedWhereThePlanHasNoErrorToHide) {
  testing::choose_seed(86);
  Parameters p = planned();
  p.magnitude = 0x1p90;  // the modulus is too small for any value of this size
  const Client client(p);
  ASSERT_TRUE(client.context.state()->planned_errors.empty());
  const Ciphertext c = client.encryptor.encrypt(client.encoder.encode(Values{0.5}, {{}, {}, 0.5}));
  int counted = 0;
  expect_refused(
      Code::release_refused,
      [&] { (void)client.decryptor.decrypt(c, {20, 100}, [&](u64, const Release&) { ++counted; }); },
      "Requirements::release");
  EXPECT_EQ(counted, 0);
}

TEST(CkksRelease, AValueThatTheNoiseWouldDrownIsRefusedAndNotCounted) {
  testing::choose_seed(82);
  const Client client(planned());
  const Ciphertext tiny = client.encryptor.encrypt(client.encoder.encode(Values{1e-11}, {{}, {}, 1e-11}));
  int counted = 0;
  expect_refused(
      Code::noise_bound_exceeded,
      [&] { (void)client.decryptor.decrypt(tiny, {20, 100}, [&](u64, const Release&) { ++counted; }); }, "scale");
  EXPECT_EQ(counted, 0);
}

TEST(CkksRelease, ShowsValuesOfMoreThanTwoWordsWithTheirScale) {
  testing::choose_seed(83);
  const Client client(planned(3));
  const Values x = {0.5, -0.75};
  const Ciphertext large = client.evaluator.multiply_integer(
      client.evaluator.multiply_integer(client.encrypt(x), i64{1} << 40), i64{1} << 30);
  const Plaintext shown = client.decryptor.decrypt(large, {20, 100}, [](u64, const Release&) {});
  EXPECT_GT(std::log2(large.magnitude() * large.scale()), 129);
  Values found(x.size());
  client.encoder.decode_raw(shown, std::span<double>(found));
  EXPECT_GT(shown.precision_bits(), 20 - 70);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(found[i], x[i] * 0x1p70, std::exp2(-shown.precision_bits() - 1));
  EXPECT_NE(found[0], x[0] * 0x1p70);
}

struct Shown {
  double deviation = 0, mean = 0;  // deviation and mean of the differences between shown and true values
  u64 counted = 0, identity = 0;
  Release counted_as;
};

constexpr int kTimes = 200;

Shown shown_often(const Client& client, const Ciphertext& c, const Values& x, const Release& release) {
  Shown all;
  Values before;
  for (int i = 0; i < kTimes; ++i) {
    const Plaintext shown = client.decryptor.decrypt(c, release, [&](u64 key, const Release& planned) {
      ++all.counted;
      all.identity = key;
      all.counted_as = planned;
    });
    Values found(32);
    client.encoder.decode_raw(shown, std::span<double>(found));
    EXPECT_LE(testing::largest_difference(found, x), std::exp2(-shown.precision_bits() - 1));
    EXPECT_NE(found, before);
    before = found;
    for (u32 j = 0; j < 32; ++j) {
      all.mean += (found[j] - x[j]) / (32 * kTimes);
      all.deviation += (found[j] - x[j]) * (found[j] - x[j]) / (32 * kTimes);
    }
  }
  all.deviation = std::sqrt(all.deviation);
  return all;
}

// The noise in each of the n coefficients has the standard deviation sqrt(12 queries) 2^(bits / 2) E, where E is the
// bound on the error that the noise must hide. Here queries = 100, bits = 20 and n = 64. The variance of the real part
// of a slot is the sum of the variances of n / 2 coefficients.
double stated_deviation(double error) { return std::sqrt(12.0 * 100) * std::exp2(10) * error * std::sqrt(32); }

TEST(CkksRelease, AddsTheNoiseOfThePlanEachTimeAnewHoweverLittleIsAskedAndStaysWithinItsBound) {
  testing::choose_seed(83);
  const Client client(planned());
  const Values x = testing::random_values(32, 1);
  const Ciphertext c = client.encrypt(x);
  const double stated =
      stated_deviation(std::max(c.state().bound.error / c.scale(), client.context.state()->planned_errors.at(0)));
  for (const Release& release : {Release{20, 100}, Release{20, 1}, Release{1, 1}}) {
    const Shown all = shown_often(client, c, x, release);
    EXPECT_EQ(all.counted, static_cast<u64>(kTimes));
    EXPECT_EQ(all.identity, client.generator.secret_key().state()->id);
    EXPECT_EQ(all.counted_as.bits, 20U);
    EXPECT_EQ(all.counted_as.queries, 100U);
    EXPECT_NEAR(all.deviation / stated, 1, 0.05) << release.bits << " bits, " << release.queries << " queries";
    EXPECT_LT(std::abs(all.mean), 5 * stated / std::sqrt(32.0 * kTimes));
  }
}

// A file may claim that its ciphertext has almost no error. The noise must still hide at least the error for which the
// parameters were planned.
TEST(CkksRelease, AClaimOfNoErrorDoesNotTurnTheNoiseOff) {
  testing::choose_seed(86);
  const Client client(planned());
  const Values x = testing::random_values(32, 2);
  Ciphertext c = client.encrypt(x);
  const double honest = c.state().bound.error / c.scale();
  c.state().rlwe.untrusted = true;
  c.state().bound.error = 1;
  Values found(32);
  double squares = 0;
  for (int i = 0; i < 50; ++i) {
    client.encoder.decode_raw(client.decryptor.decrypt(c, {20, 100}, [](u64, const Release&) {}),
                              std::span<double>(found));
    for (u32 j = 0; j < 32; ++j) squares += (found[j] - x[j]) * (found[j] - x[j]) / (32 * 50);
  }
  EXPECT_GE(std::sqrt(squares), stated_deviation(honest));
}

// A file may also claim a false scale. If the claimed scale is 1, the values seem to be as large as the true scale.
TEST(CkksRelease, AClaimOfASmallScaleDoesNotTurnTheNoiseOff) {
  testing::choose_seed(87);
  const Client client(planned());
  Ciphertext c = client.encrypt(testing::random_values(32, 2));
  const double scale = c.scale(), honest = c.state().bound.error / scale;
  c.state().rlwe.untrusted = true;
  c.state().bound.scale = {1, 0};
  c.state().bound.magnitude *= scale;
  Values first(32), found(32);
  client.encoder.decode_raw(client.decryptor.decrypt(c), std::span<double>(first));
  double squares = 0;
  for (int i = 0; i < 50; ++i) {
    c.state().bound.error = 0.25;
    client.encoder.decode_raw(client.decryptor.decrypt(c, {20, 100}, [](u64, const Release&) {}),
                              std::span<double>(found));
    for (u32 j = 0; j < 32; ++j) squares += (found[j] - first[j]) * (found[j] - first[j]) / (scale * scale * 32 * 50);
  }
  EXPECT_GE(std::sqrt(squares), stated_deviation(honest) / 2);
}

// Returns the root mean square of the noise. The noise is the shown values minus the raw values of the same ciphertext.
double noise_of(const Client& client, const Ciphertext& c) {
  const Values raw = client.decrypt(c);
  Values found(32);
  double squares = 0;
  for (int i = 0; i < 50; ++i) {
    client.encoder.decode_raw(client.decryptor.decrypt(c, {20, 100}, [](u64, const Release&) {}),
                              std::span<double>(found));
    for (u32 j = 0; j < 32; ++j) squares += (found[j] - raw[j]) * (found[j] - raw[j]) / (32 * 50);
  }
  return std::sqrt(squares);
}

// A file may claim that a computed ciphertext of any level is a fresh encryption of this level, with little error. The
// noise must hide at least the error that was planned for the top level.
TEST(CkksRelease, AFreshEncryptionHidesWhatWasPlannedForTheTopLevel) {
  testing::choose_seed(89);
  const Client client(planned());
  Ciphertext c = client.encrypt(testing::random_values(32, 2));
  ASSERT_FALSE(c.bound_is_untrusted());
  c.state().bound.error /= 64;
  EXPECT_GE(noise_of(client, c), 0.9 * stated_deviation(client.context.state()->planned_errors.at(0)));
}

// The result of a verb is not marked as a claim of a file. But its bound depends on the claim about the operand.
TEST(CkksRelease, WhatIsComputedFromAFreshEncryptionHidesWhatWasPlannedForItsLevel) {
  testing::choose_seed(90);
  const Client client(planned(2));
  Ciphertext c = client.encrypt(testing::random_values(32, 2));
  c.state().bound.error /= 64;
  const Context::State& state = *client.context.state();
  std::vector<Ciphertext> results;
  results.push_back(client.evaluator.negate(c));
  results.push_back(client.evaluator.add(c, c));
  results.push_back(client.automatic.add_plain(c, Values{0.0}));
  results.push_back(client.automatic.multiply_plain(c, Values{1.0}));
  results.push_back(client.automatic.square(c));
  results.push_back(client.evaluator.mod_switch(c, 1));
  for (const Ciphertext& result : results) {
    ASSERT_FALSE(result.bound_is_untrusted());
    const double planned = state.planned_errors.at(client.context.top_level() - result.level());
    ASSERT_LT(result.state().bound.error / result.scale(), planned);
    EXPECT_NEAR(noise_of(client, result) / stated_deviation(planned), 1, 0.1) << "result " << &result - results.data();
  }
}

TEST(CkksRelease, AnEncryptionBelowTheTopLevelHidesTheErrorPlannedForItsLevel) {
  testing::choose_seed(88);
  const Client client(planned(2));
  const Ciphertext c = client.encryptor.encrypt(client.encoder.encode(testing::random_values(32, 2), {1, {}, {}}));
  ASSERT_LT(c.level(), client.context.top_level());
  EXPECT_GE(noise_of(client, c), 0.9 * stated_deviation(client.context.state()->planned_errors.at(1)));
  EXPECT_GT(client.context.state()->planned_errors.at(1), 2 * c.state().bound.error / c.scale());
}

// Computes a sample of sample_wide by its definition: the sum of 16 uniform integers below `width`, minus 16 others.
// Each product is computed in two halves.
i128 wide_sum(std::span<const u8> bytes, u128 width) {
  i128 sum = 0;
  for (u32 term = 0; term < 32; ++term) {
    u64 low = 0, high = 0;
    std::memcpy(&low, bytes.data() + 16 * term, 8);
    std::memcpy(&high, bytes.data() + 16 * term + 8, 8);
    const u64 width_low = static_cast<u64>(width), width_high = static_cast<u64>(width >> 64);
    const u128 middle = (static_cast<u128>(low) * width_low >> 64) +
                        static_cast<u64>(static_cast<u128>(high) * width_low) +
                        static_cast<u64>(static_cast<u128>(low) * width_high);
    const u128 product = static_cast<u128>(high) * width_high + (static_cast<u128>(high) * width_low >> 64) +
                         (static_cast<u128>(low) * width_high >> 64) + (middle >> 64);
    sum += term < 16 ? static_cast<i128>(product) : -static_cast<i128>(product);
  }
  return sum;
}

TEST(SampleWide, IsTheStatedSumOfItsStream) {
  testing::choose_seed(84);
  const SecretSeed seed = fresh_secret_seed();
  const StreamAddress address{Purpose::flood, 0, 0, 0};
  std::vector<u8> bytes(100 * 512);
  chacha20_stream(std::span<const u8, 32>(seed.bytes().data(), 32), address, 0, bytes);
  for (const u128 width : {u128{3}, u128{1} << 64, (u128{1} << 100) + 12345}) {
    std::vector<i128> found(100);
    sample_wide(seed, address, width, found);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(found[i] == wide_sum(std::span(bytes).subspan(512 * i, 512), width)) << i;
  }
}

// Divided by the squared variance, the fourth moment of a sum of 32 uniform values is 3 - 1.2 / 32. A normal variable
// has 3.
TEST(SampleWide, HasItsVarianceAndAlmostTheFourthMomentOfANormalOne) {
  testing::choose_seed(85);
  const SecretSeed seed = fresh_secret_seed();
  std::vector<i128> found(1 << 15);
  const double width = 1e6, variance = 32 * width * width / 12;
  sample_wide(seed, {Purpose::flood, 0, 0, 0}, static_cast<u128>(width), found);
  double squares = 0, fourth = 0;
  for (const i128 value : found) {
    const double x = static_cast<double>(value) / std::sqrt(variance);
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(squares / static_cast<double>(found.size()), 1, 0.05);
  EXPECT_NEAR(fourth / static_cast<double>(found.size()), 3 - 1.2 / 32, 0.3);
}

}  // namespace
}  // namespace ringfort::ckks
