// SPDX-License-Identifier: Apache-2.0
// Tests moduli, encryption parameters and contexts of SEAL's interface. The known answers (primes, hashes, bytes) are
// results of SEAL 4.1.2.
#include <gtest/gtest.h>

#include <numeric>

#include "compat/seal/bytes.h"
#include "seal/context.h"
#include "seal/util/numth.h"

namespace ringfort::testing::parameters_test {
namespace {

using namespace seal;
using Error = EncryptionParameterQualifiers::error_type;

std::vector<std::uint64_t> values(const std::vector<Modulus>& primes) {
  std::vector<std::uint64_t> all;
  for (const Modulus& prime : primes) all.push_back(prime.value());
  return all;
}

EncryptionParameters parameters(scheme_type scheme, std::size_t degree, const std::vector<Modulus>& primes,
                                std::uint64_t plain_modulus = 0) {
  EncryptionParameters p(scheme);
  p.set_poly_modulus_degree(degree);
  p.set_coeff_modulus(primes);
  p.set_plain_modulus(plain_modulus);
  return p;
}

EncryptionParameters small(std::uint64_t plain_modulus = 17) {
  return parameters(scheme_type::bfv, 8, {97, 113, 193}, plain_modulus);
}

Error error_of(const EncryptionParameters& p, sec_level_type level = sec_level_type::none) {
  return SEALContext(p, true, level).key_context_data()->qualifiers().parameter_error;
}

TEST(SealModulus, KnowsLengthPrimalityAndRatio) {
  const Modulus m((std::uint64_t(1) << 60) - 173);
  EXPECT_EQ(m.bit_count(), 60);
  EXPECT_TRUE(m.is_prime());
  EXPECT_EQ(m.const_ratio(), (std::array<std::uint64_t, 3>{44288, 16, 7661824}));
  EXPECT_EQ(Modulus(2).const_ratio(), (std::array<std::uint64_t, 3>{0, std::uint64_t(1) << 63, 0}));
  EXPECT_FALSE(Modulus(1024).is_prime());
  EXPECT_EQ(Modulus(10).reduce(123), 3u);
  EXPECT_TRUE(Modulus().is_zero());
  EXPECT_THROW(Modulus(1), std::invalid_argument);
  EXPECT_THROW(Modulus(std::uint64_t(1) << 61), std::invalid_argument);
  EXPECT_THROW((void)Modulus().reduce(5), std::logic_error);
}

TEST(SealModulus, CreateFindsThePrimesOfSealInItsOrder) {
  EXPECT_EQ(values(CoeffModulus::Create(8192, {60, 40, 40, 60})),
            (std::vector<std::uint64_t>{1152921504606748673, 1099510890497, 1099511480321, 1152921504606830593}));
  EXPECT_EQ(values(CoeffModulus::Create(4096, Modulus(65537), {36, 36})),
            (std::vector<std::uint64_t>{53687910401, 66036129793}));
  EXPECT_EQ(values(CoeffModulus::Create(4096, Modulus(1000), {40, 40})),
            (std::vector<std::uint64_t>{1099493376001, 1099494400001}));
  EXPECT_EQ(PlainModulus::Batching(4096, 20).value() % 8192, 1u);
  EXPECT_THROW((void)CoeffModulus::Create(4095, {40}), std::invalid_argument);
  EXPECT_THROW((void)CoeffModulus::Create(4096, {61}), std::invalid_argument);
  EXPECT_THROW((void)CoeffModulus::Create(4096, {12}), std::logic_error);  // none is 1 mod 8192
}

TEST(SealModulus, DefaultPrimesAreThoseOfSeal) {
  EXPECT_EQ(values(CoeffModulus::BFVDefault(1024)), (std::vector<std::uint64_t>{0x7e00001}));
  EXPECT_EQ(values(CoeffModulus::BFVDefault(2048)), (std::vector<std::uint64_t>{0x3fffffff000001}));
  EXPECT_EQ(values(CoeffModulus::BFVDefault(4096)),
            (std::vector<std::uint64_t>{0xffffee001, 0xffffc4001, 0x1ffffe0001}));
  EXPECT_EQ(values(CoeffModulus::BFVDefault(4096, sec_level_type::tc256)),
            (std::vector<std::uint64_t>{0x3ffffffff040001}));
  EXPECT_EQ(
      values(CoeffModulus::BFVDefault(16384, sec_level_type::tc256)),
      (std::vector<std::uint64_t>{0x7ffffffc8001, 0x7ffffff00001, 0x7fffffe70001, 0xfffffffd8001, 0xfffffffa0001}));
  for (std::size_t degree = 1024; degree <= 32768; degree *= 2) {
    for (const auto level : {sec_level_type::tc128, sec_level_type::tc192, sec_level_type::tc256}) {
      EncryptionParameters p(scheme_type::ckks);
      p.set_poly_modulus_degree(degree);
      p.set_coeff_modulus(CoeffModulus::BFVDefault(degree, level));
      EXPECT_EQ(SEALContext(p, false, level).key_context_data()->qualifiers().parameter_error, Error::success)
          << degree << " " << int(level);
    }
  }
  EXPECT_THROW((void)CoeffModulus::BFVDefault(512), std::invalid_argument);
  EXPECT_THROW((void)CoeffModulus::BFVDefault(4096, sec_level_type::none), std::invalid_argument);
}

TEST(SealParameters, HashAndBytesAreThoseOfSeal) {
  EXPECT_EQ(EncryptionParameters().parms_id(),
            (parms_id_type{0x5e77666c514aea19, 0xa28f6b1fd748f6a1, 0x3f20c9a0c1b0e827, 0xb559e7c4893bc382}));
  const auto bfv = parameters(scheme_type::bfv, 4096, CoeffModulus::BFVDefault(4096), 1024);
  EXPECT_EQ(bfv.parms_id(),
            (parms_id_type{0x858bc578bcc87463, 0x38cec5f12c7ded20, 0x5ff4f469d5e636be, 0x5ab9a121d6f57bf9}));
  const auto ckks = parameters(scheme_type::ckks, 8192, CoeffModulus::Create(8192, {60, 40, 40, 60}));
  EXPECT_EQ(ckks.parms_id(),
            (parms_id_type{0xcfda86153fdda8e2, 0xbab3261f59a402ac, 0xae8fe2601f0b6e53, 0xddc508ab0e037ff5}));
  EXPECT_EQ(hex(saved(bfv)),
            "5ea110040100000081000000000000000100100000000000000300000000000000"
            "5ea1100401000000180000000000000001e0feff0f0000005ea110040100000018000000000000000140fcff0f000000"
            "5ea110040100000018000000000000000100feff1f0000005ea110040100000018000000000000000004000000000000");
  EXPECT_EQ(bfv.save_size(seal::compr_mode_type::none), 129);
}

TEST(SealParameters, LoadReturnsWhatWasSaved) {
  for (const auto& p : {small(), parameters(scheme_type::ckks, 64, CoeffModulus::Create(64, {30, 40})),
                        parameters(scheme_type::bgv, 4096, CoeffModulus::BFVDefault(4096), 786433)}) {
    const std::string bytes = saved(p);
    EncryptionParameters loaded;
    EXPECT_EQ(loaded.load(bytes_of(bytes), bytes.size()), static_cast<std::streamoff>(bytes.size()));
    EXPECT_EQ(loaded, p);
    EXPECT_EQ(loaded.scheme(), p.scheme());
    EXPECT_EQ(values(loaded.coeff_modulus()), values(p.coeff_modulus()));
  }
}

TEST(SealParameters, BytesThatWereCutOrChangedThrowOrGiveOtherParameters) {
  const std::string bytes = saved(small());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EncryptionParameters loaded;
    EXPECT_ANY_THROW(loaded.load(bytes_of(bytes), length)) << length;
    std::istringstream stream(bytes.substr(0, length));
    EXPECT_THROW(loaded.load(stream), std::runtime_error) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    EncryptionParameters loaded;
    try {
      loaded.load(bytes_of(changed), changed.size());
      // Headers have two reserved bytes. Those of the moduli begin at byte 33, one every 24 bytes.
      const std::size_t in_header = at < 33 ? at : (at - 33) % 24;
      EXPECT_TRUE(loaded != small() || in_header == 6 || in_header == 7) << at;
    } catch (const std::logic_error&) {
    } catch (const std::runtime_error&) {}
  }
}

TEST(SealParameters, ValuesThatTheSchemeDoesNotHaveAreRefused) {
  EncryptionParameters none;
  EXPECT_THROW(none.set_poly_modulus_degree(8), std::logic_error);
  EXPECT_THROW(none.set_coeff_modulus({97}), std::logic_error);
  EXPECT_THROW(none.set_plain_modulus(2), std::logic_error);
  EncryptionParameters ckks(scheme_type::ckks);
  EXPECT_THROW(ckks.set_plain_modulus(2), std::logic_error);
  EXPECT_THROW(ckks.set_coeff_modulus({}), std::invalid_argument);
  EXPECT_THROW(ckks.set_coeff_modulus(std::vector<Modulus>(65, 97)), std::invalid_argument);
  EXPECT_THROW(EncryptionParameters(std::uint8_t{4}), std::invalid_argument);
}

TEST(SealContext, ValidParametersHaveAChainThatLosesOnePrimeAtATime) {
  const SEALContext context(small(), true, sec_level_type::none);
  ASSERT_TRUE(context.parameters_set());
  EXPECT_STREQ(context.parameter_error_name(), "success");
  EXPECT_TRUE(context.using_keyswitching());
  auto data = context.key_context_data();
  for (std::size_t primes = 3; primes != 0; --primes) {
    EXPECT_EQ(data->parms().coeff_modulus().size(), primes);
    EXPECT_EQ(data->chain_index(), primes - 1);
    EXPECT_EQ(context.get_context_data(data->parms_id()), data);
    EXPECT_EQ(data == context.first_context_data(), primes == 2);
    EXPECT_EQ(data == context.last_context_data(), primes == 1);
    const auto next = data->next_context_data();
    EXPECT_TRUE(next ? next->prev_context_data() == data : primes == 1);
    data = next;
  }
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus()[0], 97u * 113 * 193);
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 22);
  EXPECT_EQ(context.key_context_data()->coeff_modulus_mod_plain_modulus(), 97u * 113 * 193 % 17);
  EXPECT_EQ(context.get_context_data(parms_id_zero), nullptr);
}

TEST(SealContext, ProductOfPrimesHasManyWords) {
  const SEALContext context(parameters(scheme_type::bfv, 4096, CoeffModulus::BFVDefault(4096), 1024));
  const auto data = context.key_context_data();
  EXPECT_EQ(data->total_coeff_modulus_bit_count(), 109);
  EXPECT_EQ(data->total_coeff_modulus()[0], 18360489920406560769u);
  EXPECT_EQ(data->total_coeff_modulus()[1], 35184174958114u);
  EXPECT_EQ(context.first_context_data()->coeff_modulus_mod_plain_modulus(), 1u);
}

TEST(SealContext, WithoutExpansionTheChainEndsAtFreshCiphertexts) {
  const SEALContext context(small(), false, sec_level_type::none);
  EXPECT_EQ(context.first_parms_id(), context.last_parms_id());
  EXPECT_EQ(context.first_context_data()->next_context_data(), nullptr);
  EXPECT_EQ(context.key_context_data()->chain_index(), 1u);
}

TEST(SealContext, OnePrimeServesKeysAndCiphertexts) {
  const SEALContext context(parameters(scheme_type::bfv, 8, {193}, 17), true, sec_level_type::none);
  ASSERT_TRUE(context.parameters_set()) << context.parameter_error_message();
  EXPECT_FALSE(context.using_keyswitching());
  EXPECT_EQ(context.key_parms_id(), context.last_parms_id());
}

TEST(SealContext, EveryMisuseHasItsError) {
  EXPECT_EQ(error_of(EncryptionParameters()), Error::invalid_scheme);
  EXPECT_EQ(error_of(EncryptionParameters(scheme_type::ckks)), Error::invalid_coeff_modulus_size);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 8, {(std::uint64_t(1) << 60) + 33}, 17)),
            Error::invalid_coeff_modulus_bit_count);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 1, {97}, 17)), Error::invalid_poly_modulus_degree);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 12, {97}, 17)), Error::invalid_poly_modulus_degree_non_power_of_two);
  EXPECT_EQ(error_of(small(), sec_level_type::tc128), Error::invalid_parameters_insecure);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 8, {97, 97}, 17)), Error::failed_creating_rns_base);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 8, {97, 101}, 17)), Error::invalid_coeff_modulus_no_ntt);
  EXPECT_EQ(error_of(small(0)), Error::invalid_plain_modulus_bit_count);
  EXPECT_EQ(error_of(small(std::uint64_t(1) << 50)), Error::invalid_plain_modulus_bit_count);
  EXPECT_EQ(error_of(small(3 * 97)), Error::invalid_plain_modulus_coprimality);
  EXPECT_EQ(error_of(parameters(scheme_type::bfv, 8, {97}, 100)), Error::invalid_plain_modulus_too_large);
  EXPECT_EQ(error_of(small()), Error::success);
}

TEST(SealContext, QualifiersDescribeTheParameters) {
  const auto batching = SEALContext(small(17), true, sec_level_type::none).first_context_data()->qualifiers();
  EXPECT_TRUE(batching.using_batching && batching.using_ntt && batching.using_fft && batching.using_fast_plain_lift);
  EXPECT_FALSE(batching.using_descending_modulus_chain);
  EXPECT_EQ(batching.sec_level, sec_level_type::none);
  EXPECT_FALSE(SEALContext(small(16), true, sec_level_type::none).first_context_data()->qualifiers().using_batching);
  const SEALContext secure(parameters(scheme_type::ckks, 4096, CoeffModulus::BFVDefault(4096)));
  EXPECT_EQ(secure.key_context_data()->qualifiers().sec_level, sec_level_type::tc128);
}

}  // namespace
}  // namespace ringfort::testing::parameters_test
