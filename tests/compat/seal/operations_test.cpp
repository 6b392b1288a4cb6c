// SPDX-License-Identifier: Apache-2.0
// Tests sums, products, levels and transforms of SEAL's interface against plain arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "compat/seal/machine.h"

namespace ringfort::testing::operations_test {
namespace {

using seal::Ciphertext, seal::Plaintext, seal::scheme_type;

constexpr std::size_t kDegree = 256;
const std::vector<int> kPrimes = {55, 55, 55, 56};

Machine exact_machine(scheme_type scheme, std::uint64_t t = 7681) {
  return Machine(seal_parameters(scheme, kDegree, kPrimes, t));
}
Machine ckks_machine() { return Machine(seal_parameters(scheme_type::ckks, kDegree, {60, 40, 40, 60})); }

TEST(SealOperations, SumsAndDifferencesAreThoseOfPlaintexts) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    const Ciphertext a = m.encrypt(Plaintext("5x^3 + 2")), b = m.encrypt(Plaintext("1x^3 + 1E00x^1"));
    Ciphertext c;
    m.evaluator.add(a, b, c);
    EXPECT_EQ(m.text(c), "6x^3 + 1E00x^1 + 2");
    m.evaluator.sub(a, b, c);
    EXPECT_EQ(m.text(c), "4x^3 + 1x^1 + 2");  // t = 0x1E01
    m.evaluator.sub(b, a, c);
    EXPECT_EQ(m.text(c), "1DFDx^3 + 1E00x^1 + 1DFF");
    m.evaluator.negate(a, c);
    EXPECT_EQ(m.text(c), "1DFCx^3 + 1DFF");
    m.evaluator.add_many({a, b, a}, c);
    EXPECT_EQ(m.text(c), "Bx^3 + 1E00x^1 + 4");
    m.evaluator.add_plain(a, Plaintext("1x^4"), c);
    EXPECT_EQ(m.text(c), "1x^4 + 5x^3 + 2");
    m.evaluator.sub_plain(a, Plaintext("3"), c);
    EXPECT_EQ(m.text(c), "5x^3 + 1E00");
  }
}

TEST(SealOperations, ADestinationMayBeAnOperand) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    const Ciphertext a = m.encrypt(Plaintext("5")), b = m.encrypt(Plaintext("3"));
    Ciphertext c = b;
    m.evaluator.sub(a, c, c);
    EXPECT_EQ(m.text(c), "2");
    c = b;
    m.evaluator.multiply(a, c, c);
    EXPECT_EQ(m.text(c), "F");
    EXPECT_EQ(m.text(b), "3");
  }
}

TEST(SealOperations, ADestinationMayBeOneOfManyOperands) {
  Machine m = exact_machine(scheme_type::bfv);
  std::vector<Ciphertext> terms(3, m.encrypt(Plaintext("2x^1")));
  m.evaluator.add_many(terms, terms[1]);
  EXPECT_EQ(m.text(terms[1]), "6x^1");
  m.evaluator.multiply_many(terms, m.relin_keys(), terms[0]);
  EXPECT_EQ(m.text(terms[0]), "18x^3");
}

TEST(SealOperations, ProductsAreThoseOfPolynomials) {
  for (const scheme_type scheme : kExactSchemes) {
    for (const std::uint64_t t : {7681ull, 1024ull, 3ull}) {
      Machine m = exact_machine(scheme, t);
      const seal::RelinKeys keys = m.relin_keys();
      const Ciphertext a = m.encrypt(Plaintext("2x^255 + 1")), b = m.encrypt(Plaintext("2x^2 + 1"));
      Ciphertext c;
      m.evaluator.multiply(a, b, c);
      EXPECT_EQ(c.size(), 3u);
      // 4 x^257 is -4 x.
      const std::string minus_4 = t == 7681 ? "1DFD" : t == 1024 ? "3FC" : "2";
      EXPECT_EQ(m.text(c), "2x^255 + 2x^2 + " + minus_4 + "x^1 + 1");
      m.evaluator.relinearize_inplace(c, keys);
      EXPECT_EQ(c.size(), 2u);
      EXPECT_EQ(m.text(c), "2x^255 + 2x^2 + " + minus_4 + "x^1 + 1");
      m.evaluator.multiply_plain(b, Plaintext("2"), c);
      EXPECT_EQ(m.text(c), t == 3 ? "1x^2 + 2" : "4x^2 + 2");
    }
  }
}

TEST(SealOperations, ProductsOfAnySizeDecrypt) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m(seal_parameters(scheme, kDegree, {58, 58, 58, 58, 58, 58}, 7681));
    const seal::RelinKeys keys = m.relin_keys();
    const Ciphertext a = m.encrypt(Plaintext("2x^1")), b = m.encrypt(Plaintext("3"));
    Ciphertext c, d;
    m.evaluator.square(a, c);
    m.evaluator.multiply(c, b, d);
    EXPECT_EQ(d.size(), 4u);
    EXPECT_EQ(m.text(d), "Cx^2");
    EXPECT_THROW(m.evaluator.relinearize_inplace(d, keys), std::invalid_argument);
    m.evaluator.add_inplace(d, b);
    EXPECT_EQ(m.text(d), "Cx^2 + 3");
    m.evaluator.sub(b, d, d);
    EXPECT_EQ(m.text(d), "1DF5x^2");
    m.evaluator.square_inplace(c);
    EXPECT_EQ(c.size(), 5u);
    m.evaluator.mod_switch_to_next_inplace(c);
    EXPECT_EQ(m.text(c), "10x^4");
  }
}

TEST(SealOperations, PowersAndLongProductsAreRelinearized) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m(seal_parameters(scheme, kDegree, {58, 58, 58, 58, 58, 58}, 7681));
    const seal::RelinKeys keys = m.relin_keys();
    const Ciphertext a = m.encrypt(Plaintext("2")), b = m.encrypt(Plaintext("3"));
    Ciphertext c;
    m.evaluator.exponentiate(a, 11, keys, c);
    EXPECT_EQ(m.text(c), "800");
    EXPECT_EQ(c.size(), 2u);
    m.evaluator.multiply_many({a, b, a, b, a}, keys, c);
    EXPECT_EQ(m.text(c), "48");
    EXPECT_EQ(c.size(), 2u);
    m.evaluator.exponentiate(a, 1, keys, c);
    EXPECT_EQ(m.text(c), "2");
  }
}

TEST(SealOperations, LevelsFallOneByOne) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    Ciphertext a = m.encrypt(Plaintext("5x^3 + 2")), b = a;
    EXPECT_EQ(a.parms_id(), m.context.first_parms_id());
    m.evaluator.mod_switch_to_next_inplace(a);
    EXPECT_EQ(a.parms_id(), m.context.first_context_data()->next_context_data()->parms_id());
    EXPECT_EQ(a.coeff_modulus_size(), 2u);
    m.evaluator.mod_switch_to_inplace(a, m.context.last_parms_id());
    EXPECT_EQ(m.text(a), "5x^3 + 2");
    EXPECT_THROW(m.evaluator.mod_switch_to_next_inplace(a), std::invalid_argument);
    EXPECT_THROW(m.evaluator.mod_switch_to_inplace(a, m.context.first_parms_id()), std::invalid_argument);
    EXPECT_THROW(m.evaluator.add_inplace(a, b), std::invalid_argument);
    m.evaluator.mod_switch_to_inplace(b, m.context.last_parms_id());
    m.evaluator.add_inplace(a, b);
    EXPECT_EQ(m.text(a), "Ax^3 + 4");
  }
}

TEST(SealOperations, PrimesMayLeaveTheModulusWithoutADivision) {
  Machine bgv = exact_machine(scheme_type::bgv), bfv = exact_machine(scheme_type::bfv), ckks = ckks_machine();
  const seal::parms_id_type last = bgv.context.last_parms_id();
  Ciphertext a = bgv.encrypt(Plaintext("5x^3 + 2")), b;
  bgv.evaluator.mod_switch_to_next_inplace(a);  // its factor is not 1
  bgv.evaluator.mod_reduce_to_next(a, b);
  EXPECT_EQ(b.parms_id(), last);
  EXPECT_EQ(b.correction_factor(), a.correction_factor());
  EXPECT_TRUE(std::equal(b.data(1), b.data(1) + kDegree, a.data(1)));
  EXPECT_EQ(bgv.text(b), "5x^3 + 2");
  EXPECT_THROW(bgv.evaluator.mod_reduce_to_next_inplace(b), std::invalid_argument);
  EXPECT_THROW(bgv.evaluator.mod_reduce_to_inplace(b, a.parms_id()), std::invalid_argument);
  EXPECT_THROW(bgv.evaluator.mod_reduce_to_next(a, b, {}), std::invalid_argument);
  bgv.evaluator.mod_reduce_to_inplace(a, last);
  bgv.evaluator.add_inplace(a, b);
  EXPECT_EQ(bgv.text(a), "Ax^3 + 4");

  a = bfv.encrypt(Plaintext("3"));
  bfv.evaluator.mod_reduce_to(a, bfv.context.last_parms_id(), b);
  EXPECT_FALSE(b.is_ntt_form());
  EXPECT_TRUE(std::equal(b.data(1), b.data(1) + kDegree, a.data(1)));

  a = ckks.encrypt(ckks.encode(1.5));
  ckks.evaluator.mod_reduce_to_next(a, b);
  EXPECT_EQ(b.scale(), a.scale());
  EXPECT_NEAR(ckks.numbers(b).front(), 1.5, 1e-5);
}

TEST(SealOperations, SumsWithPlaintextsTakeAPool) {
  Machine m = exact_machine(scheme_type::bgv);
  Ciphertext a = m.encrypt(Plaintext("5"));
  m.evaluator.add_plain_inplace(a, Plaintext("3"), seal::MemoryPoolHandle::New());
  m.evaluator.sub_plain(a, Plaintext("1"), a, seal::MemoryPoolHandle::New());
  EXPECT_EQ(m.text(a), "7");
  EXPECT_THROW(m.evaluator.add_plain_inplace(a, Plaintext("3"), {}), std::invalid_argument);
}

// Ciphertexts of BFV are coefficients, and those of BGV evaluations, unless a program transforms them.
void change_form(const Machine& m, Ciphertext& x) {
  x.is_ntt_form() ? m.evaluator.transform_from_ntt_inplace(x) : m.evaluator.transform_to_ntt_inplace(x);
}

TEST(SealOperations, TransformedOperandsGiveTheSameProducts) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    Ciphertext a = m.encrypt(Plaintext("5x^3 + 2"));
    const Plaintext factor("1E00x^1 + 3");
    Ciphertext expected;
    m.evaluator.multiply_plain(a, factor, expected);
    Plaintext transformed;
    m.evaluator.transform_to_ntt(factor, a.parms_id(), transformed);
    Ciphertext product;
    m.evaluator.multiply_plain(a, transformed, product);
    EXPECT_EQ(m.text(product), m.text(expected));
    EXPECT_EQ(a.is_ntt_form(), scheme == scheme_type::bgv);
    change_form(m, a);
    for (const Plaintext& plain : {factor, transformed}) {
      m.evaluator.multiply_plain(a, plain, product);
      EXPECT_EQ(product.is_ntt_form(), scheme == scheme_type::bfv);
      EXPECT_THROW(static_cast<void>(m.decrypt(product)), std::invalid_argument);
      EXPECT_THROW(m.evaluator.square_inplace(product), std::invalid_argument);
      change_form(m, product);
      EXPECT_EQ(m.text(product), "1DFCx^4 + Fx^3 + 1DFFx^1 + 6");
    }

    Ciphertext low = m.encrypt(Plaintext("4"));
    m.evaluator.mod_switch_to_next_inplace(low);
    m.evaluator.mod_switch_to_next_inplace(transformed);
    m.evaluator.multiply_plain_inplace(low, transformed);
    EXPECT_EQ(m.text(low), "1DFDx^1 + C");
  }
}

template <class Verb>
void expect_transparent(Verb verb) {
  try {
    verb();
    ADD_FAILURE() << "the result is accepted";
  } catch (const std::logic_error& error) { EXPECT_STREQ(error.what(), "result ciphertext is transparent"); }
}

TEST(SealOperations, ProductsWithZeroAreTransparentInEveryForm) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv, scheme_type::ckks}) {
    Machine m = scheme == scheme_type::ckks ? ckks_machine() : exact_machine(scheme);
    const Plaintext zero = scheme == scheme_type::ckks ? m.encode(std::vector<double>{0.0, -0.0}) : Plaintext("0");
    Ciphertext a = m.encrypt(zero), b;
    expect_transparent([&] { m.evaluator.multiply_plain(a, zero, b); });
    expect_transparent([&] { m.evaluator.sub(a, a, b); });
    Plaintext lower = zero;
    if (scheme == scheme_type::ckks) m.evaluator.mod_switch_to_next(zero, lower);
    else m.evaluator.transform_to_ntt_inplace(lower, m.context.first_parms_id());
    if (scheme == scheme_type::ckks) m.evaluator.mod_switch_to_next_inplace(a);
    expect_transparent([&] { m.evaluator.multiply_plain_inplace(a, lower); });
  }
  Machine m = ckks_machine();
  Plaintext zero;
  seal::CKKSEncoder(m.context).encode(std::int64_t{0}, zero);
  Ciphertext a = m.encrypt(m.encode(1.0));
  expect_transparent([&] { m.evaluator.multiply_plain_inplace(a, zero); });
}

TEST(SealOperations, ZerosEncryptAtEveryLevel) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv, scheme_type::ckks}) {
    Machine m = scheme == scheme_type::ckks ? ckks_machine() : exact_machine(scheme);
    for (auto data = m.context.first_context_data(); data; data = data->next_context_data()) {
      Ciphertext zero, symmetric;
      m.encryptor.encrypt_zero(data->parms_id(), zero);
      m.encryptor.encrypt_zero_symmetric(data->parms_id(), symmetric);
      EXPECT_EQ(zero.parms_id(), data->parms_id());
      EXPECT_FALSE(symmetric.is_transparent());
      if (scheme == scheme_type::ckks) continue;
      m.evaluator.add_inplace(zero, symmetric);
      EXPECT_EQ(m.text(zero), "0");
    }
  }
}

TEST(SealOperations, ScalesFollowTheFormulasOfSeal) {
  Machine m = ckks_machine();
  const seal::RelinKeys keys = m.relin_keys();
  const Ciphertext a = m.encrypt(m.encode(1.5));
  Ciphertext b;
  m.evaluator.square(a, b);
  EXPECT_EQ(b.scale(), 0x1p80);
  m.evaluator.relinearize_inplace(b, keys);
  m.evaluator.rescale_to_next_inplace(b);
  const auto q = static_cast<double>(m.context.first_context_data()->parms().coeff_modulus().back().value());
  EXPECT_EQ(b.scale(), 0x1p80 / q);
  for (const double value : m.numbers(b)) EXPECT_NEAR(value, 2.25, 1e-6);

  // A program may set the scale: the values change by the same factor.
  Ciphertext twice = b;
  twice.scale() /= 2;
  for (const double value : m.numbers(twice)) EXPECT_NEAR(value, 4.5, 1e-6);
  m.evaluator.add_inplace(twice, twice);
  for (const double value : m.numbers(twice)) EXPECT_NEAR(value, 9, 1e-6);
  EXPECT_THROW(m.evaluator.add_inplace(twice, b), std::invalid_argument);

  Plaintext plain = m.encode(1.0);
  EXPECT_THROW(m.evaluator.add_plain_inplace(b, plain), std::invalid_argument);
  m.evaluator.mod_switch_to_inplace(plain, b.parms_id());
  EXPECT_THROW(m.evaluator.add_plain_inplace(b, plain), std::invalid_argument);
  b.scale() = 0x1p40;
  m.evaluator.add_plain_inplace(b, plain);
  for (const double value : m.numbers(b)) EXPECT_NEAR(value, 3.25, 1e-3);
}

TEST(SealOperations, AScaleThatAProgramSetsBelongsToAPlaintextToo) {
  Machine m = ckks_machine();
  const Ciphertext a = m.encrypt(m.encode(1.5));
  Plaintext plain = m.encode(3.0);
  plain.scale() = 0x1p41;  // the plaintext is now 1.5
  std::vector<double> values;
  seal::CKKSEncoder(m.context).decode(plain, values);
  for (const double value : values) EXPECT_NEAR(value, 1.5, 1e-9);
  Ciphertext b;
  m.evaluator.multiply_plain(a, plain, b);
  EXPECT_EQ(b.scale(), 0x1p81);
  for (const double value : m.numbers(b)) EXPECT_NEAR(value, 2.25, 1e-6);
  EXPECT_THROW(m.evaluator.add_plain(a, plain, b), std::invalid_argument);
  b = a;
  b.scale() = 0x1p41;
  m.evaluator.sub_plain_inplace(b, plain);
  for (const double value : m.numbers(b)) EXPECT_NEAR(value, -0.75, 1e-6);
  for (const double value : m.numbers(m.encrypt(plain))) EXPECT_NEAR(value, 1.5, 1e-6);
}

TEST(SealOperations, ComplexNumbersAndIntegersEncode) {
  Machine m = ckks_machine();
  const seal::CKKSEncoder encoder(m.context);
  EXPECT_EQ(encoder.slot_count(), kDegree / 2);
  std::vector<std::complex<double>> values(kDegree / 2), decoded;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i), -0.5 * static_cast<double>(i)};
  Plaintext plain;
  encoder.encode(values, m.context.last_parms_id(), 0x1p30, plain);
  EXPECT_EQ(plain.parms_id(), m.context.last_parms_id());
  encoder.decode(plain, decoded);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(std::abs(values[i] - decoded[i]), 0, 1e-5);
  encoder.encode(std::complex<double>(0, 2), 0x1p30, plain);
  encoder.decode(plain, decoded);
  for (const auto& value : decoded) EXPECT_NEAR(std::abs(value - std::complex<double>(0, 2)), 0, 1e-5);
  encoder.encode(std::int64_t{-123456}, plain);
  EXPECT_EQ(plain.scale(), 1.0);
  encoder.decode(plain, decoded);
  for (const auto& value : decoded) EXPECT_NEAR(std::abs(value + 123456.0), 0, 1e-6);
}

TEST(SealOperations, IntegersOfCkksAreExact) {
  Machine m = ckks_machine();
  const seal::CKKSEncoder encoder(m.context);
  const auto& primes = m.context.first_context_data()->parms().coeff_modulus();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-7}, (std::int64_t{1} << 53) + 1, kMost, -kMost - 1}) {
    Plaintext plain;
    encoder.encode(value, plain);
    EXPECT_EQ(plain.scale(), 1.0);
    for (std::size_t i = 0; i < plain.coeff_count(); ++i) {
      const auto q = static_cast<std::int64_t>(primes[i / kDegree].value());
      ASSERT_EQ(plain[i], static_cast<std::uint64_t>((value % q + q) % q)) << value << ", word " << i;
    }
  }
  // The last level has one prime of 60 bits, and two bits of it are not for the integer.
  Plaintext plain;
  encoder.encode((std::int64_t{1} << 57) - 1, m.context.last_parms_id(), plain);
  EXPECT_EQ(plain.parms_id(), m.context.last_parms_id());
  EXPECT_THROW(encoder.encode(std::int64_t{1} << 57, m.context.last_parms_id(), plain), std::invalid_argument);
  EXPECT_EQ(plain[0], (std::uint64_t{1} << 57) - 1);
  Ciphertext product;
  encoder.encode(std::int64_t{-3}, plain);
  m.evaluator.multiply_plain(m.encrypt(m.encode(1.5)), plain, product);
  EXPECT_EQ(product.scale(), 0x1p40);
  for (const double number : m.numbers(product)) EXPECT_NEAR(number, -4.5, 1e-6);
}

TEST(SealOperations, ScalesThatAreNoPositiveNumbersAreRefused) {
  Machine m = ckks_machine();
  const seal::CKKSEncoder encoder(m.context);
  const Plaintext one = m.encode(1.0);
  const Ciphertext encrypted = m.encrypt(one);
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, -1.0, infinite, -infinite, std::nan(""), 0x1p200}) {
    Plaintext plain = one;
    EXPECT_THROW(encoder.encode(1.0, scale, plain), std::invalid_argument) << scale;
    plain.scale() = scale;
    std::vector<double> values{7};
    EXPECT_THROW(encoder.decode(plain, values), std::invalid_argument) << scale;
    EXPECT_EQ(values, std::vector<double>{7});
    Ciphertext a = encrypted, b;
    EXPECT_THROW(m.evaluator.multiply_plain(a, plain, b), std::invalid_argument) << scale;
    a.scale() = scale;
    EXPECT_EQ(is_valid_for(a, m.context), scale == 0x1p200) << scale;
    EXPECT_THROW(m.evaluator.multiply(encrypted, a, b), std::invalid_argument) << scale;
    EXPECT_THROW(m.evaluator.mod_switch_to_next(a, b), std::invalid_argument) << scale;
  }
}

TEST(SealOperations, ScalesBelowOneAndValuesAboveTheLimitDoNotEncode) {
  Machine m = ckks_machine();
  const seal::CKKSEncoder encoder(m.context);
  Plaintext plain;
  EXPECT_THROW(encoder.encode(8.0, 0.5, plain), std::invalid_argument);
  EXPECT_THROW(encoder.encode(0x1p101, 1.0, plain), std::invalid_argument);
  EXPECT_NO_THROW(encoder.encode(0x1p100, 1.0, plain));
}

TEST(SealOperations, SlotsHoldUnsignedAndSignedValues) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    const seal::BatchEncoder encoder(m.context);
    EXPECT_EQ(encoder.slot_count(), kDegree);
    std::vector<std::uint64_t> values(kDegree), decoded;
    for (std::size_t i = 0; i < kDegree; ++i) values[i] = (i * 977 + 7680) % 7681;
    encoder.decode(m.batch(values), decoded);
    EXPECT_EQ(decoded, values);
    std::vector<std::int64_t> numbers(10), signed_decoded;
    std::iota(numbers.begin(), numbers.end(), -5);
    numbers.back() = -3840;
    encoder.decode(m.batch(numbers), signed_decoded);
    numbers.resize(kDegree);
    EXPECT_EQ(signed_decoded, numbers);
    EXPECT_THROW(static_cast<void>(m.batch(std::vector<std::uint64_t>{7681})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(m.batch(std::vector<std::int64_t>{-3841})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(m.batch(std::vector<std::int64_t>(kDegree + 1))), std::invalid_argument);

    // Slots multiply independently of one another.
    Ciphertext square;
    m.evaluator.square(m.encrypt(m.batch(values)), square);
    for (std::uint64_t& value : values) value = value * value % 7681;
    EXPECT_EQ(m.slots(square), values);
  }
}

// SEAL 4.1.2 printed these budgets for 20 encryptions of the plaintext "6" with each parameter set: BFV 54 to 55, and
// 150; BGV 54, and 149 to 150. Without the division by the special prime, budgets are 3 or 4 bits lower.
TEST(SealOperations, FreshEncryptionsUnderAPublicKeyHaveTheNoiseBudgetsOfSeal) {
  struct Case {
    std::size_t n;
    std::uint64_t t;
    int budget;
  };
  for (const scheme_type scheme : kExactSchemes) {
    for (const Case& c : {Case{4096, 1024, 55}, Case{8192, 65537, 150}}) {
      seal::EncryptionParameters parms(scheme);
      parms.set_poly_modulus_degree(c.n);
      parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(c.n));
      parms.set_plain_modulus(c.t);
      Machine m(parms);
      for (int i = 0; i < 5; ++i)
        EXPECT_NEAR(m.decryptor.invariant_noise_budget(m.encrypt(Plaintext("6"))), c.budget, 1);
    }
  }
}

TEST(SealOperations, NoiseBudgetsFallToZero) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m = exact_machine(scheme);
    Ciphertext a = m.encrypt(Plaintext("2"));
    const seal::RelinKeys keys = m.relin_keys();
    int budget = m.decryptor.invariant_noise_budget(a);
    EXPECT_GT(budget, 100);
    EXPECT_LT(budget, 165);
    for (int i = 0; i < 12; ++i) {
      m.evaluator.square_inplace(a);
      m.evaluator.relinearize_inplace(a, keys);
      const int next = m.decryptor.invariant_noise_budget(a);
      EXPECT_TRUE(next < budget || next == 0);
      budget = next;
    }
    EXPECT_EQ(budget, 0);
    EXPECT_NO_THROW(static_cast<void>(m.decrypt(a)));
  }
}

}  // namespace
}  // namespace ringfort::testing::operations_test
