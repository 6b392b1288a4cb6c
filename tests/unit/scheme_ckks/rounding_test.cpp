// SPDX-License-Identifier: Apache-2.0
// Tests that decrypted values of CKKS are rounded to a step near their error, because unrounded values and their
// ciphertexts reveal the key. Values outside their bound must be refused. Only functions with `raw` in their names
// return unrounded values.
#include "scheme/ckks/rounding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/ckks.h"
#include "support/refused.h"

namespace ringfort::ckks {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;
using Slots = std::vector<std::complex<double>>;

TEST(Rounding, StepsArePowersOfTwoNearTheErrorWhichTheyAtMostDouble) {
  for (int i = -4000; i < 4000; ++i) {
    const double error = std::exp2(i / 13.0), step = step_for(error);
    int exponent = 0;
    EXPECT_EQ(std::frexp(step, &exponent), 0.5);
    EXPECT_GT(step * std::numbers::sqrt2, error * (1 - 1e-15));
    EXPECT_LE(step, error * std::numbers::sqrt2 * (1 + 1e-15));
    EXPECT_LE(error + step_error(step), 2 * error * (1 + 1e-15));
  }
}

TEST(Rounding, GivesTheNearestMultipleWithTiesToEven) {
  std::mt19937_64 generator(5);
  for (const double step : {0x1p-70, 0x1p-20, 1.0, 0x1p30}) {
    for (int i = 0; i < 2000; ++i) {
      const double value =
          std::ldexp(static_cast<double>(static_cast<i64>(generator())), static_cast<int>(generator() % 120) - 110) *
          step;
      EXPECT_EQ(round_to_step(value, step), std::nearbyint(value / step) * step) << value << " by " << step;
    }
    for (const double ties : {0.5, 1.5, 2.5, -0.5, -1.5, 0x1p51 + 0.5, 0x1p52 + 1, 0x1p53 + 2, -0x1p60, 0.0}) {
      EXPECT_EQ(round_to_step(ties * step, step), std::nearbyint(ties) * step);
    }
  }
}

TEST(Rounding, AZeroDoesNotShowTheSignOfItsError) {
  for (const double step : {0x1p-70, 1.0, 0x1p30}) {
    for (const double error : {0.0, 0x1p-60, 0.25, 0.5}) {
      for (const double zero : {round_to_step(error * step, step), round_to_step(-error * step, step)}) {
        EXPECT_EQ(zero, 0);
        EXPECT_FALSE(std::signbit(zero)) << error << " by " << step;
      }
    }
  }
}

TEST(CkksRounding, DecryptedZerosDoNotShowTheSignsOfTheirErrors) {
  testing::choose_seed(62);
  const Client client(testing::parameters_of({}));
  const Plaintext plain = client.decryptor.decrypt(client.encrypt(Values(32)));
  Slots shown(32), raw(32);
  client.encoder.decode(plain, std::span(shown));
  client.encoder.decode_raw(plain, std::span(raw));
  const auto is_below_zero = [](std::complex<double> v) { return v.real() < 0; };
  EXPECT_GT(std::count_if(raw.begin(), raw.end(), is_below_zero), 0);
  for (const std::complex<double> value : shown) {
    EXPECT_EQ(value, 0.0);
    EXPECT_FALSE(std::signbit(value.real()) || std::signbit(value.imag()));
  }
}

TEST(Rounding, APartOfAValueBeyondTheLimitIsDetected) {
  const Slots within = {{3, 4}, {-5, 0}, {0, -5}, {0, 0}};
  EXPECT_TRUE(all_within(within, 5));
  for (const std::complex<double> beyond :
       {std::complex(5.001, 0.0), std::complex(0.0, -5.001), std::complex(3.6, 3.6), std::complex(1e300, 1e300)}) {
    Slots values = within;
    values.insert(values.begin() + 2, beyond);
    EXPECT_FALSE(all_within(values, 5));
  }
  EXPECT_FALSE(all_within(Slots{{std::nan(""), 0}}, 5));
}

TEST(CkksRounding, DecryptionsAreMultiplesOfTheirStepAndWithinTheBitsThatAreClaimed) {
  testing::choose_seed(61);
  const Client client(testing::parameters_of({}));
  const Values x = testing::random_values(32, 3);
  const Ciphertext fresh = client.encrypt(x), square = client.automatic.square(fresh);
  for (const Ciphertext* c : {&fresh, &square}) {
    const Plaintext plain = client.decryptor.decrypt(*c);
    Slots shown(32), raw(32);
    client.encoder.decode(plain, std::span(shown));
    client.encoder.decode_raw(plain, std::span(raw));
    const double bits = client.encoder.decoded_precision_bits(*c), raw_bits = client.encoder.raw_precision_bits(*c),
                 step = plain.state().step;
    EXPECT_GT(raw_bits, bits);
    EXPECT_LE(raw_bits, bits + 1 + 1e-12);
    EXPECT_GE(step, std::exp2(-raw_bits - 1.5) * (1 - 1e-12));
    for (u32 i = 0; i < 32; ++i) {
      const std::complex<double> value = c == &fresh ? x[i] : x[i] * x[i];
      EXPECT_EQ(std::remainder(shown[i].real(), step), 0);
      EXPECT_EQ(std::remainder(shown[i].imag(), step), 0);
      EXPECT_LE(std::abs(shown[i] - value), std::exp2(-bits - 1));
      EXPECT_LE(std::abs(raw[i] - value), std::exp2(-raw_bits - 1));
    }
    EXPECT_LE(plain.clone().precision_bits(), c->precision_bits());
  }
}

TEST(CkksRounding, AProductWithZeroDecryptsToZero) {
  testing::choose_seed(66);
  const Client client(testing::parameters_of({}));
  const Ciphertext zero = client.automatic.multiply_integer(client.encrypt(testing::random_values(32, 5)), 0);
  EXPECT_EQ(client.decrypt(zero), Values(32));
  EXPECT_GT(client.encoder.decoded_precision_bits(zero), 100);
}

// A false claim in a file cannot make the owner reveal more than a planned decryption reveals.
TEST(CkksRounding, AClaimOfNoErrorIsRoundedToWhatWasPlanned) {
  testing::choose_seed(62);
  const Client client(testing::parameters_of({}));
  Ciphertext c = client.automatic.square(client.encrypt(testing::random_values(32, 4)));
  const double honest = client.decryptor.decrypt(c).state().step, magnitude = c.magnitude();
  c.state().rlwe.untrusted = true;
  c.state().bound.error = 0x1p-900;
  c.state().bound.magnitude = magnitude * (1 + 0x1p-10);
  const double step = client.decryptor.decrypt(c).state().step;
  EXPECT_GE(step, honest);
  EXPECT_GE(step, client.context.state()->planned_errors.at(1) / std::numbers::sqrt2);
}

TEST(CkksRounding, AClaimOfNoErrorIsRoundedToAFreshEncryptionAtLeast) {
  testing::choose_seed(65);
  Parameters p = testing::parameters_of({});
  p.magnitude = 0x1p90;  // the modulus is too small for values of this size, so no error is planned
  const Client client(p);
  ASSERT_TRUE(client.context.state()->planned_errors.empty());
  Ciphertext c = client.encryptor.encrypt(client.encoder.encode(Values(32, 0.5), {{}, {}, 0.5}));
  c.state().rlwe.untrusted = true;
  c.state().bound.error = 0x1p-900;
  const KeyNoise& noise = client.context.keys().state()->noise;
  // Keys of older files have the largest error.
  const double fresh = noise.fresh(Origin::fresh_public).value() / c.state().bound.scale.high;
  EXPECT_GE(client.decryptor.decrypt(c).state().step, fresh / std::numbers::sqrt2);
}

TEST(CkksRounding, AValueOutsideItsBoundIsRefusedWithoutSayingIt) {
  testing::choose_seed(63);
  const Client client(testing::parameters_of({}));
  Ciphertext c = client.encryptor.encrypt(client.encoder.encode(Values(32, 0.75), {{}, {}, 0.75}));
  (void)client.decrypt(c);
  c.state().bound.magnitude = 0.7;
  Values out(32);
  const auto refused =
      ringfort::testing::refusal([&] { client.encoder.decode(client.decryptor.decrypt(c), std::span<double>(out)); });
  EXPECT_EQ(refused.code(), Code::bound_violated);
  EXPECT_EQ(std::string(refused.what()).find("0.7"), std::string::npos);
  EXPECT_EQ(out, Values(32));
  expect_refused(
      Code::bound_violated, [&] { client.encoder.decode_raw(client.decryptor.decrypt(c), std::span<double>(out)); },
      "false bound");
}

TEST(CkksRounding, UnderAnotherSecretKeyEveryDecryptionIsRefused) {
  testing::choose_seed(64);
  const Client client(testing::parameters_of({}));
  const KeyGenerator other(client.context);
  for (int i = 0; i < 10; ++i) {
    Ciphertext c = client.encrypt(testing::random_values(32, static_cast<u64>(i)));
    c.state().rlwe.key_id = other.secret_key().state()->id;
    Values out(32);
    expect_refused(
        Code::bound_violated,
        [&] {
          client.encoder.decode(Decryptor(client.context, other.secret_key()).decrypt(c), std::span<double>(out));
        },
        "public part");
  }
}

TEST(CkksRounding, ComplexValuesOfExactlyTheDeclaredModulusAreTaken) {
  testing::choose_seed(65);
  const Client client(testing::parameters_of({}));
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> turn(0, 2 * std::numbers::pi);
  for (const double declared : {1.0, 0.3, 1e-5, 0.999999}) {
    Slots z(32), out(32);
    for (std::complex<double>& value : z) value = std::polar(declared, turn(generator));
    const Ciphertext c =
        client.encryptor.encrypt(client.encoder.encode(std::span<const std::complex<double>>(z), {{}, {}, declared}));
    EXPECT_GE(c.magnitude(), declared);
    client.encoder.decode(client.decryptor.decrypt(c), std::span(out));
    for (std::complex<double>& value : z) value *= 1 + 1e-12;
    expect_refused(
        Code::invalid_argument,
        [&] { (void)client.encoder.encode(std::span<const std::complex<double>>(z), {{}, {}, declared}); },
        "magnitude");
  }
}

}  // namespace
}  // namespace ringfort::ckks
