// SPDX-License-Identifier: Apache-2.0
// Tests the tables that a context gives to programs (transforms, residue number systems, automorphisms), and the random
// polynomials and encryptions of seal/util/rlwe.h. Known answers are from SEAL 4.0.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <sstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/rlwe.h"
#include "seal/util/scalingvariant.h"

namespace ringfort::testing::transforms_test {
namespace {

using namespace seal::util;
using seal::Ciphertext, seal::MemoryManager, seal::Modulus, seal::Plaintext, seal::scheme_type;
using Words = std::vector<std::uint64_t>;

constexpr std::size_t kDegree = 64;

seal::EncryptionParameters small_parameters() { return seal_parameters(scheme_type::bfv, 8, {40, 30}, 97); }

std::shared_ptr<const seal::SEALContext::ContextData> small_data() {
  static const seal::SEALContext context(small_parameters(), true, seal::sec_level_type::none);
  return context.key_context_data();
}

Machine machine_of(scheme_type scheme) {
  return Machine(seal_parameters(scheme, kDegree, {50, 40, 40, 50}, scheme == scheme_type::ckks ? 0 : 7681));
}

TEST(SealTransforms, EvaluationsAreTheValuesAtOddPowersOfTheRoot) {
  const auto data = small_data();
  const NTTTables& tables = data->small_ntt_tables()[1];
  const Modulus& q = tables.modulus();
  EXPECT_EQ(tables.get_root(), 114739670u);
  Words words = {5, 0, ~std::uint64_t(0), 1, 2, 3, 4, q.value()}, values(8);  // any words
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t at = exponentiate_uint_mod(tables.get_root(), 2 * reverse_bits(i, 3) + 1, q);
    for (std::size_t j = 8; j-- > 0;) values[i] = multiply_add_uint_mod(values[i], at, words[j], q);
  }
  const Words before = words;
  ntt_negacyclic_harvey(words, tables);
  EXPECT_EQ(words, values);
  inverse_ntt_negacyclic_harvey_lazy(words, tables);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(words[i], before[i] % q.value());
}

TEST(SealTransforms, TablesOfSeveralPrimesTransformResidues) {
  Words words(16);
  for (std::size_t i = 0; i < 16; ++i) words[i] = i % 8;
  ntt_negacyclic_harvey(RNSIter(words.data(), 8), 2, small_data()->small_ntt_tables());
  EXPECT_EQ(words,
            (Words{57776288030, 802796224935, 190590571386, 628414237001, 826555514552, 84858585082, 707104970634,
                   438490271, 90979674, 156660785, 703668070, 127396479, 1003612268, 295270044, 429930177, 413706826}));
  inverse_ntt_negacyclic_harvey(PolyIter(words.data(), 8, 2), 1, small_data()->small_ntt_tables());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(words[i], i % 8);
}

TEST(SealTransforms, PowersOfTheRootAreAtBitReversedPlaces) {
  const NTTTables tables(3, 97);
  const std::uint64_t root = tables.get_root();
  EXPECT_EQ(root, 8u);
  EXPECT_EQ(tables.get_from_root_powers(4).operand, root);
  EXPECT_EQ(tables.get_from_root_powers()[1].operand, root * root % 97 * root % 97 * root % 97);
  EXPECT_EQ(tables.get_from_inv_root_powers(1).operand * root % 97, 1u);
  EXPECT_EQ(tables.inv_degree_modulo().operand * 8 % 97, 1u);
  EXPECT_EQ(tables.coeff_count(), 8u);
}

TEST(SealTransforms, ADegreeOrAModulusWithoutTransformIsRefused) {
  EXPECT_THROW(NTTTables(0, 97), std::invalid_argument);
  EXPECT_THROW(NTTTables(18, 97), std::invalid_argument);
  EXPECT_THROW(NTTTables(6, 97), std::invalid_argument);
  EXPECT_THROW(NTTTables(3, 91), std::invalid_argument);
  EXPECT_THROW((void)NTTTables().get_root(), std::logic_error);
  Words words(8);
  EXPECT_THROW(ntt_negacyclic_harvey(words, NTTTables()), std::logic_error);
}

TEST(SealTransforms, ACiphertextHasTheWordsOfItsTransform) {
  Machine m = machine_of(scheme_type::bfv);
  const Ciphertext encrypted = m.encrypt(Plaintext("5x^3 + 1"));
  Ciphertext transformed;
  m.evaluator.transform_to_ntt(encrypted, transformed);
  Ciphertext copy = encrypted;
  ntt_negacyclic_harvey(iter(copy), 2, m.context.first_context_data()->small_ntt_tables());
  EXPECT_TRUE(std::equal(copy.data(), copy.data() + 2 * 3 * kDegree, transformed.dyn_array().begin()));
}

TEST(SealTransforms, AContextHasTheTablesOfItsScheme) {
  const auto data = small_data();
  const std::uint64_t p = 1099511627297, q = 1073741441;
  EXPECT_EQ(data->plain_ntt_tables()->get_root(), 8u);
  EXPECT_EQ(data->coeff_div_plain_modulus()[0].operand, 430736513786u);
  EXPECT_EQ(data->coeff_div_plain_modulus()[1].operand, 464918974u);
  EXPECT_EQ(data->plain_upper_half_increment()[0], p - 97);
  EXPECT_EQ(data->plain_upper_half_increment()[1], q - 97);
  seal::EncryptionParameters ckks(scheme_type::ckks);
  ckks.set_poly_modulus_degree(8);
  ckks.set_coeff_modulus({p, q});
  const seal::SEALContext context(ckks, true, seal::sec_level_type::none);
  const auto keys = context.key_context_data();
  EXPECT_EQ(keys->plain_ntt_tables(), nullptr);
  EXPECT_EQ(keys->coeff_div_plain_modulus(), nullptr);
  EXPECT_EQ(keys->plain_upper_half_increment()[0], 1091475340833u);  // -2^64 modulo p
  EXPECT_EQ(keys->upper_half_threshold()[0], 18446533260071757393u);
  EXPECT_EQ(keys->upper_half_threshold()[1], 31u);
  EXPECT_EQ(context.first_context_data()->small_ntt_tables(), keys->small_ntt_tables());
  const seal::SEALContext none(seal::EncryptionParameters(scheme_type::bfv));
  EXPECT_EQ(none.key_context_data()->small_ntt_tables(), nullptr);
  EXPECT_EQ(none.key_context_data()->rns_tool(), nullptr);
}

TEST(SealTransforms, ResiduesAreNumbersModuloTheProduct) {
  const auto pool = MemoryManager::GetPool();
  const RNSBase base({97, 193, 257}, pool);
  ASSERT_EQ(base.base_prod()[0], 97u * 193 * 257);
  Words numbers(2 * 3, 0);
  numbers[0] = 4811296;  // 97 * 193 * 257 - 1
  numbers[3] = 123456;
  const Words before = numbers;
  base.decompose_array(numbers.data(), 2, pool);
  EXPECT_EQ(numbers, (Words{96, 123456 % 97, 192, 123456 % 193, 256, 123456 % 257}));
  const BaseConverter converter(base, RNSBase({65537}, pool), pool);
  Words converted(2);
  converter.fast_convert_array(ConstRNSIter(numbers.data(), 2), RNSIter(converted.data(), 2), pool);
  const Words multiples = {4811296, 4811296 + 4811297, 4811296 + 2 * 4811297};
  EXPECT_TRUE(
      std::any_of(multiples.begin(), multiples.end(), [&](std::uint64_t x) { return x % 65537 == converted[0]; }));
  base.compose_array(numbers.data(), 2, pool);
  EXPECT_EQ(numbers, before);
  EXPECT_THROW((void)RNSBase({97, 194}, pool).size(), std::invalid_argument);
  EXPECT_THROW((void)RNSBase({6, 9}, pool).size(), std::invalid_argument);
  EXPECT_THROW((void)RNSBase({}, pool).size(), std::invalid_argument);
}

TEST(SealTransforms, DivisionsByTheLastPrimeAreRounded) {
  const auto data = small_data();
  const auto pool = MemoryManager::GetPool();
  const std::uint64_t p = 1099511627297, q = 1073741441;
  Words words(16);
  const Words quotients = {0, 1, 2, 512, 1023, 3, 4, 5};
  for (std::size_t i = 0; i < 8; ++i) {  // quotient * q + rest, where |rest| <= q / 2
    const std::uint64_t number = quotients[i] * q + (i % 2 == 0 ? q / 2 : q - q / 2);
    words[i] = number % p;
    words[8 + i] = number % q;
  }
  Words evaluations = words;
  data->rns_tool()->divide_and_round_q_last_inplace(RNSIter(words.data(), 8), pool);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(words[i], quotients[i] + i % 2);
  NTTTables* const tables = data->small_ntt_tables();
  ntt_negacyclic_harvey(RNSIter(evaluations.data(), 8), 2, tables);
  data->rns_tool()->divide_and_round_q_last_ntt_inplace(RNSIter(evaluations.data(), 8), tables, pool);
  inverse_ntt_negacyclic_harvey(evaluations.data(), tables[0]);
  EXPECT_TRUE(std::equal(words.begin(), words.begin() + 8, evaluations.begin()));
}

TEST(SealTransforms, ScaledPlaintextsAreRoundedAndScaledBack) {
  const auto data = small_data();
  const auto pool = MemoryManager::GetPool();
  const Plaintext plain("60x^7 + 31x^6 + 30x^5 + 1x^2 + 2");
  Words words(16), back(8);
  multiply_add_plain_with_scaling_variant(plain, *data, RNSIter(words.data(), 8));
  EXPECT_EQ(words, (Words{861473027573, 0, 430736513786, 0, 0, 884143370404, 215368256893, 668775113511, 929837949, 0,
                          464918974, 0, 0, 841281954, 232459487, 608822467}));
  data->rns_tool()->decrypt_scale_and_round(ConstRNSIter(words.data(), 8), back, pool);
  EXPECT_EQ(back, (Words{2, 0, 1, 0, 0, 0x30, 0x31, 0x60}));
  multiply_sub_plain_with_scaling_variant(plain, *data, RNSIter(words.data(), 8));
  EXPECT_EQ(words, Words(16));
  EXPECT_THROW(multiply_add_plain_with_scaling_variant(Plaintext(9), *data, RNSIter(words.data(), 8)),
               std::invalid_argument);
}

TEST(SealTransforms, AutomorphismsMoveCoefficientsAndEvaluations) {
  const auto data = small_data();
  const GaloisTool& tool = *data->galois_tool();
  EXPECT_EQ(tool.get_elts_from_steps({0, 1, -1}), (std::vector<std::uint32_t>{15, 3, 11}));
  EXPECT_EQ(tool.get_elts_all(), (std::vector<std::uint32_t>{15, 3, 11, 9, 9}));
  EXPECT_THROW((void)tool.get_elt_from_step(4), std::invalid_argument);
  const Words coefficients = {1, 2, 3, 4, 5, 6, 7, 8};
  const NTTTables& tables = data->small_ntt_tables()[0];
  Words moved(8), evaluations = coefficients, moved_evaluations(8);
  tool.apply_galois(coefficients, 3, tables.modulus(), moved);
  EXPECT_EQ(moved[3], 2u);                            // x -> x^3
  EXPECT_EQ(moved[1], tables.modulus().value() - 4);  // x^3 -> x^9 = -x
  ntt_negacyclic_harvey(evaluations, tables);
  tool.apply_galois_ntt(evaluations, 3, moved_evaluations);
  inverse_ntt_negacyclic_harvey(moved_evaluations, tables);
  EXPECT_EQ(moved_evaluations, moved);
  EXPECT_THROW(tool.apply_galois_ntt(evaluations, 2, moved), std::invalid_argument);
  EXPECT_THROW((void)GaloisTool(0, MemoryManager::GetPool()).get_elts_all(), std::invalid_argument);
}

TEST(SealTransforms, AGeneratorGivesThePolynomialsOfSeal) {
  const seal::EncryptionParameters parms = small_parameters();
  const auto prng = [] { return seal::Blake2xbPRNGFactory({1, 2, 3, 4, 5, 6, 7, 8}).create(); };
  const std::uint64_t p = 1099511627297, q = 1073741441;
  Words words(16);
  sample_poly_uniform(prng(), parms, words.data());
  EXPECT_EQ(words, (Words{321809995791, 768256090080, 653759416542, 512635381193, 650809456971, 368651229973,
                          608781955595, 486413528413, 49026016, 32064881, 749487112, 47429353, 470423972, 702816700,
                          1041956658, 877909687}));
  sample_poly_ternary(prng(), parms, words.data());
  EXPECT_EQ(words, (Words{0, 1, p - 1, p - 1, 1, 1, p - 1, p - 1, 0, 1, q - 1, q - 1, 1, 1, q - 1, q - 1}));
  SEAL_NOISE_SAMPLER(prng(), parms, words.data());
  EXPECT_EQ(words, (Words{1, 0, 5, 2, p - 3, 0, p - 5, 1, 1, 0, 5, 2, q - 3, 0, q - 5, 1}));
  sample_poly_normal(prng(), parms, words.data());
  EXPECT_EQ(words, (Words{p - 1, 2, 2, 2, 1, 3, 0, 2, q - 1, 2, 2, 2, 1, 3, 0, 2}));
  EXPECT_THROW(sample_poly_cbd(nullptr, parms, words.data()), std::invalid_argument);
}

TEST(SealTransforms, ZerosUnderBothKeysTakeAPlaintextInTheirWords) {
  Machine m = machine_of(scheme_type::bfv);
  const auto data = m.context.first_context_data();
  const Plaintext plain("7x^9 + 3");
  Ciphertext under_public, under_secret;
  encrypt_zero_asymmetric(m.public_key(), m.context, data->parms_id(), false, under_public);
  encrypt_zero_symmetric(m.generator.secret_key(), m.context, data->parms_id(), false, true, under_secret);
  const std::size_t seeded = saved(under_secret).size(), whole = saved(under_public).size();
  EXPECT_LT(seeded, whole / 2 + 300);
  for (Ciphertext* const zero : {&under_public, &under_secret}) {
    EXPECT_EQ(m.text(*zero), "0");
    multiply_add_plain_with_scaling_variant(plain, *data, *iter(*zero));
    EXPECT_EQ(m.text(*zero), plain.to_string());
  }
  const std::string bytes = saved(under_secret);
  EXPECT_EQ(bytes.size(), seeded);
  Ciphertext loaded;
  loaded.load(m.context, bytes_of(bytes), bytes.size());
  EXPECT_EQ(m.text(loaded), plain.to_string());
  under_secret.data(1)[0] ^= 1;
  EXPECT_EQ(saved(under_secret).size(), whole);
  EXPECT_THROW(encrypt_zero_asymmetric(m.public_key(), m.context, m.context.key_parms_id(), false, loaded),
               std::invalid_argument);
}

TEST(SealTransforms, ZerosHaveTheRequestedForm) {
  Machine m = machine_of(scheme_type::ckks);
  Ciphertext zero;
  encrypt_zero_symmetric(m.generator.secret_key(), m.context, m.context.last_parms_id(), false, false, zero);
  EXPECT_FALSE(zero.is_ntt_form());
  ntt_negacyclic_harvey(iter(zero), 2, m.context.last_context_data()->small_ntt_tables());
  zero.is_ntt_form() = true;
  zero.scale() = 0x1p30;
  EXPECT_NEAR(m.numbers(zero)[0], 0, 1e-6);
}

// Decrypts by hand: c_0 + c_1 s.
TEST(SealTransforms, APublicKeyShowsWordsOfItsSecret) {
  Machine m = machine_of(scheme_type::bfv);
  const auto data = m.context.key_context_data();
  const seal::EncryptionParameters& parms = data->parms();
  const seal::PublicKey key = m.public_key();
  const std::size_t primes = parms.coeff_modulus().size();
  Words phase(primes * kDegree);
  const RNSIter rows(phase.data(), kDegree);
  const ConstRNSIter secret(std::as_const(m.generator.secret_key()).data().data(), kDegree);
  dyadic_product_coeffmod(iter(key.data())[1], secret, primes, parms.coeff_modulus(), rows);
  add_poly_coeffmod(rows, iter(key.data())[0], primes, parms.coeff_modulus(), rows);
  inverse_ntt_negacyclic_harvey(rows, primes, data->small_ntt_tables());
  for (std::size_t i = 0; i < primes; ++i) {
    const std::uint64_t q = parms.coeff_modulus()[i].value();
    for (std::size_t c = 0; c < kDegree; ++c) ASSERT_LT((rows[i][c] + 21) % q, 43u);  // 21 is the largest error
  }
}

TEST(SealTransforms, KeysWhoseWordsWereChangedAreRefused) {
  Machine m = machine_of(scheme_type::bfv);
  seal::PublicKey key = m.public_key();
  ASSERT_EQ(key.data().data(1)[5], std::as_const(key).data().data(1)[5]);  // a copy is no change
  seal::Encryptor encryptor(m.context, key);
  key.data().data(1)[5] ^= 1;
  EXPECT_THROW(encryptor.set_public_key(key), std::invalid_argument);
  EXPECT_THROW((void)saved(key), std::logic_error);

  seal::RelinKeys relin = m.relin_keys();
  const Ciphertext a = m.encrypt(Plaintext("2"));
  Ciphertext square;
  m.evaluator.square(a, square);
  EXPECT_NE(relin.data()[0][0].data()[7], relin.data()[0][1].data()[7]);
  m.evaluator.relinearize_inplace(square, relin);
  EXPECT_EQ(m.text(square), "4");
  relin.data()[0][1].data()[7] ^= 1;
  m.evaluator.square(a, square);
  EXPECT_THROW(m.evaluator.relinearize_inplace(square, relin), std::invalid_argument);
  EXPECT_FALSE(seal::is_valid_for(relin, m.context));
}

// The words of a key give those of its seeded file, whose second polynomial a seed replaces.
TEST(SealTransforms, GaloisKeysShowTheWordsThatAreSaved) {
  Machine m = machine_of(scheme_type::ckks);
  seal::GaloisKeys keys;
  m.generator.create_galois_keys(std::vector<int>{1}, keys);
  const std::string bytes = saved(keys);
  for (const seal::PublicKey& part : keys.key(3)) {
    const auto& words = part.data().dyn_array();
    ASSERT_EQ(words.size(), 2 * 4 * kDegree);
    const std::string shown(reinterpret_cast<const char*>(words.begin()), 8 * words.size());
    EXPECT_NE(bytes.find(shown), std::string::npos);
  }
}

TEST(SealTransforms, ATransformIsZeroIfItsCoefficientsAre) {
  for (const scheme_type scheme : kExactSchemes) {
    const Machine m = machine_of(scheme);
    Plaintext zero("0"), one("1");
    m.evaluator.transform_to_ntt_inplace(zero, m.context.first_parms_id());
    m.evaluator.transform_to_ntt_inplace(one, m.context.first_parms_id());
    EXPECT_TRUE(zero.is_zero());
    EXPECT_FALSE(one.is_zero());
    std::fill_n(one.data(), one.coeff_count(), 0);
    EXPECT_TRUE(one.is_zero());
  }
}

TEST(SealTransforms, RootsOfUnityAreSymmetric) {
  const ComplexRoots roots(16, MemoryManager::GetPool());
  for (std::size_t i = 0; i < 40; ++i) {
    const std::complex<double> root = roots.get_root(i), exact = std::polar(1.0, std::numbers::pi * double(i % 16) / 8);
    EXPECT_LT(std::abs(root - exact), 1e-15);
    EXPECT_EQ(root, roots.get_root(i + 16));
    EXPECT_EQ(root, -roots.get_root(i + 8));
    EXPECT_EQ(root, std::conj(roots.get_root(16 - i % 16)));
  }
  EXPECT_THROW(ComplexRoots(12, MemoryManager::GetPool()), std::invalid_argument);
  EXPECT_THROW(ComplexRoots(16, seal::MemoryPoolHandle()), std::invalid_argument);
}

// A program's own encoder: the inverse transform of complex numbers, as in SEAL's examples of custom encoders.
TEST(SealTransforms, ComplexTransformsEvaluateAtOddPowersOfTheRoot) {
  using Complex = std::complex<double>;
  constexpr std::size_t kSize = 8;
  const ComplexRoots powers(2 * kSize, MemoryManager::GetPool());
  std::vector<Complex> roots(kSize), inverse(kSize), values(kSize), found;
  for (std::size_t i = 0; i < kSize; ++i) {
    roots[i] = powers.get_root(reverse_bits(i, 3));
    inverse[i] = std::conj(powers.get_root(i == 0 ? 0 : reverse_bits(i - 1, 3) + 1));
    values[i] = {double(i * i % 5), 1 - double(i)};
  }
  const DWTHandler<Complex, Complex, double> handler;
  found = values;
  handler.transform_to_rev(found.data(), 3, roots.data());
  for (std::size_t i = 0; i < kSize; ++i) {
    Complex value = 0;
    for (std::size_t j = 0; j < kSize; ++j) value += values[j] * powers.get_root((2 * reverse_bits(i, 3) + 1) * j);
    EXPECT_LT(std::abs(found[i] - value), 1e-13) << i;
  }
  const double scalar = 2.0 / kSize;
  handler.transform_from_rev(found.data(), 3, inverse.data(), &scalar);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_LT(std::abs(found[i] - 2.0 * values[i]), 1e-13) << i;
}

TEST(SealTransforms, LazyTransformsOfAProgramAreTheTransformsOfTheTables) {
  const Modulus modulus(12289);
  const NTTTables tables(4, modulus);
  std::vector<std::uint64_t> values(16), expected;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i * i % 12289;
  const std::vector<std::uint64_t> before = expected = values;
  ntt_negacyclic_harvey(expected, tables);
  const Arithmetic<std::uint64_t, MultiplyUIntModOperand, MultiplyUIntModOperand> arithmetic(modulus);
  const DWTHandler<std::uint64_t, MultiplyUIntModOperand, MultiplyUIntModOperand> handler(arithmetic);
  handler.transform_to_rev(values.data(), 4, tables.get_from_root_powers());
  modulo_poly_coeffs(values, 16, modulus, values);
  EXPECT_EQ(values, expected);
  const MultiplyUIntModOperand scalar = tables.inv_degree_modulo();
  handler.transform_from_rev(values.data(), 4, tables.get_from_inv_root_powers(), &scalar);
  modulo_poly_coeffs(values, 16, modulus, values);
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace ringfort::testing::transforms_test
