// SPDX-License-Identifier: Apache-2.0
// Tests plaintexts, arrays and memory pools of SEAL's interface. The known bytes and transforms are results of SEAL
// 4.1.2.
#include <gtest/gtest.h>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "../../../compat/seal/objects.h"
#include "../../../compat/seal/plaintext_state.h"
#include "seal/plaintext.h"

namespace ringfort::testing {
namespace {

using namespace seal;

SEALContext small_context(scheme_type scheme = scheme_type::bfv) {
  EncryptionParameters p(scheme);
  p.set_poly_modulus_degree(8);
  p.set_coeff_modulus({97, 113, 193});
  if (scheme != scheme_type::ckks) p.set_plain_modulus(17);
  return SEALContext(p, true, sec_level_type::none);
}

TEST(SealPlaintext, TextAndCoefficientsDescribeOnePolynomial) {
  const Plaintext plain("1Fx^3 + 2x^1 + A");
  EXPECT_EQ(plain.coeff_count(), 4u);
  EXPECT_EQ(plain[3], 0x1fu);
  EXPECT_EQ(plain[2], 0u);
  EXPECT_EQ(plain[1], 2u);
  EXPECT_EQ(plain[0], 10u);
  EXPECT_EQ(plain.to_string(), "1Fx^3 + 2x^1 + A");
  EXPECT_EQ(plain.significant_coeff_count(), 4u);
  EXPECT_EQ(plain.nonzero_coeff_count(), 3u);
  EXPECT_EQ(Plaintext("0").to_string(), "0");
  EXPECT_EQ(Plaintext("FFFFFFFFFFFFFFFF")[0], ~std::uint64_t(0));
  EXPECT_TRUE(Plaintext("").is_zero());
}

TEST(SealPlaintext, TextThatIsNoPolynomialIsRefused) {
  for (const char* text : {"g", "1x^", "1x^2 +", "1x^2 + ", "1x^2+3", "1x^2 + 3x^2", "1 + 1x^1", "x^2", "1x2",
                           "1x^2 + 3 ", "10000000000000000", "1x^99999999999999999999", "-1"}) {
    EXPECT_THROW(Plaintext{std::string(text)}, std::invalid_argument) << text;
  }
}

TEST(SealPlaintext, EqualPlaintextsMayHaveDifferentLengths) {
  Plaintext plain("2x^1 + 1"), longer(10);
  longer[0] = 1;
  longer[1] = 2;
  EXPECT_EQ(plain, longer);
  longer[9] = 1;
  EXPECT_NE(plain, longer);
  longer.set_zero(2);
  EXPECT_EQ(plain, longer);
  longer.scale() = 2;
  EXPECT_NE(plain, longer);
}

TEST(SealPlaintext, LengthsAndRangesAreChecked) {
  Plaintext plain(20, 5);
  EXPECT_EQ(plain.capacity(), 20u);
  EXPECT_EQ(plain.coeff_count(), 5u);
  EXPECT_THROW((void)plain[5], std::out_of_range);
  EXPECT_THROW(plain.set_zero(3, 3), std::out_of_range);
  EXPECT_THROW(plain.set_zero(5), std::out_of_range);
  EXPECT_NO_THROW(plain.set_zero(9, 0));
  plain.resize(6);
  EXPECT_EQ(plain[5], 0u);
  EXPECT_THROW(Plaintext(2, 3), std::invalid_argument);
  plain = std::uint64_t{7};
  EXPECT_EQ(plain.to_string(), "7");
  plain.release();
  EXPECT_EQ(plain.coeff_count(), 0u);
  EXPECT_EQ(plain.data(0), nullptr);
}

TEST(SealPlaintext, BytesAreThoseOfSeal) {
  const Plaintext plain("1Fx^3 + 2x^1 + A");
  EXPECT_EQ(hex(saved(plain)), "5ea11004010000007800000000000000" + std::string(64, '0') +
                                   "0400000000000000000000000000f03f" +
                                   "5ea1100401000000380000000000000004000000000000000a000000000000000200000000000000" +
                                   "00000000000000001f00000000000000");
}

TEST(SealPlaintext, LoadReturnsWhatWasSavedAndChecksItsContext) {
  const SEALContext context = small_context();
  const Plaintext plain("9x^3 + 2x^1 + A");
  const std::string bytes = saved(plain);
  Plaintext loaded;
  EXPECT_EQ(loaded.load(context, bytes_of(bytes), bytes.size()), static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(loaded, plain);
  std::istringstream two(bytes + bytes);
  loaded = "1";
  loaded.load(context, two);
  EXPECT_EQ(loaded, plain);
  EXPECT_EQ(static_cast<std::size_t>(two.tellg()), bytes.size());
  const std::string large = saved(Plaintext("11"));  // 17 is not below the plain modulus
  EXPECT_THROW(loaded.load(context, bytes_of(large), large.size()), std::logic_error);
  EXPECT_NO_THROW(loaded.unsafe_load(context, bytes_of(large), large.size()));
  const std::string long_one = saved(Plaintext("1x^8"));
  EXPECT_THROW(loaded.unsafe_load(context, bytes_of(long_one), long_one.size()), std::logic_error);
}

TEST(SealPlaintext, BytesThatWereCutOrChangedNeverCrash) {
  const SEALContext context = small_context();
  const Plaintext plain("9x^3 + 2x^1 + A");
  const std::string bytes = saved(plain);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Plaintext loaded;
    EXPECT_ANY_THROW(loaded.load(context, bytes_of(bytes), length)) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      Plaintext loaded("5");
      try {
        loaded.load(context, bytes_of(changed), changed.size());
        EXPECT_TRUE(is_valid_for(loaded, context)) << at;
      } catch (const std::exception&) { EXPECT_EQ(loaded, Plaintext("5")) << at; }
    }
  }
}

TEST(SealPlaintext, TransformHasTheWordsOfSealAndKeepsTheCoefficients) {
  const SEALContext context = small_context();
  Plaintext plain("Fx^7 + 9x^3 + 8x^1 + 1");
  const std::vector<std::int64_t> numbers{1, 8, 0, -8, 0, 0, 0, -2};
  EXPECT_EQ(seal::detail::signed_coefficients(plain, context), numbers);
  seal::detail::transform_plain(plain, context, context.first_parms_id());
  EXPECT_TRUE(plain.is_ntt_form());
  const std::vector<std::uint64_t> expected{19, 80, 93, 6, 26, 73, 31, 68, 94, 21, 2, 0, 20, 95, 66, 49};
  const Plaintext& words = plain;
  EXPECT_EQ(std::vector<std::uint64_t>(words.data(), words.data() + words.coeff_count()), expected);
  EXPECT_TRUE(is_valid_for(plain, context));
  EXPECT_EQ(seal::detail::signed_coefficients(plain, context), numbers);
  EXPECT_THROW(seal::detail::transform_plain(plain, context, context.first_parms_id()), std::invalid_argument);
  EXPECT_THROW((void)plain.to_string(), std::invalid_argument);
  EXPECT_THROW(plain.resize(3), std::logic_error);

  const std::string bytes = saved(plain);  // a loaded transform has only words
  Plaintext loaded;
  loaded.load(context, bytes_of(bytes), bytes.size());
  EXPECT_EQ(loaded, plain);
  EXPECT_EQ(loaded.object(), nullptr);
  EXPECT_EQ(seal::detail::signed_coefficients(loaded, context), numbers);
}

TEST(SealPlaintext, WordsThatAProgramChangesAreNotIgnored) {
  const SEALContext context = small_context();
  Plaintext plain("1");
  seal::detail::transform_plain(plain, context, context.first_parms_id());
  const Plaintext before = plain;
  plain[0] = 1;  // the transform of 1 has this word already
  EXPECT_NE(plain.object(), nullptr);
  plain[0] = 2;
  EXPECT_EQ(plain.object(), nullptr);
  EXPECT_NE(plain, before);
  EXPECT_NE(before.object(), nullptr);
  EXPECT_THROW((void)seal::detail::signed_coefficients(plain, context), std::invalid_argument);
}

TEST(SealPlaintext, WordsOfEveryPrimeBelongToTheCoefficients) {
  const SEALContext context = small_context();
  Plaintext plain("1");
  seal::detail::transform_plain(plain, context, context.first_parms_id());
  plain[8] = 2;  // a word of the second prime
  EXPECT_THROW((void)seal::detail::signed_coefficients(plain, context), std::invalid_argument);
}

TEST(SealPlaintext, WordsOfPrimesBelowThePlainModulusKeepTheCoefficients) {
  const std::size_t n = 64;
  const std::uint64_t t = PlainModulus::Batching(n, 40).value();
  Machine m(seal_parameters(scheme_type::bfv, n, {30, 30, 30, 30, 30}, t));
  Plaintext plain(n);
  for (std::size_t i = 0; i < n; ++i) plain[i] = (i + 1) * 0x9E3779B97F4A7C15 % t;
  plain[0] = t / 2;
  plain[1] = t / 2 + 1;
  const std::vector<std::int64_t> numbers = seal::detail::signed_coefficients(plain, m.context);
  for (auto level = m.context.first_context_data(); level; level = level->next_context_data()) {
    if (level->parms().coeff_modulus().size() == 1) break;  // t is above the last prime
    Plaintext words = plain;
    seal::detail::transform_plain(words, m.context, level->parms_id());
    const std::string bytes = saved(words);  // a loaded transform has only words
    Plaintext loaded;
    loaded.load(m.context, bytes_of(bytes), bytes.size());
    EXPECT_EQ(seal::detail::signed_coefficients(loaded, m.context), numbers);
    if (level != m.context.first_context_data()) continue;
    Ciphertext product = m.encrypt(Plaintext("1"));
    m.evaluator.multiply_plain_inplace(product, loaded);
    EXPECT_EQ(m.decrypt(product), plain);
  }
}

TEST(SealPlaintext, ErrorsOfTheLibraryAreTranslatedWhenWordsAreRead) {
  const auto fail = []() -> seal::detail::Words { throw Error(Code::invalid_argument, "no words", "make some"); };
  const seal::detail::PlaintextObject plain(nullptr, std::monostate{}, 1, fail);
  EXPECT_THROW((void)plain.words(), std::invalid_argument);
  const seal::detail::CiphertextObject encrypted(nullptr, bfv::Ciphertext{});
  EXPECT_THROW(encrypted.read_component(0, true, {}), std::invalid_argument);
}

TEST(SealPlaintext, DecryptedCoefficientsReplaceATransform) {
  const SEALContext context = small_context();
  Plaintext plain("1");
  seal::detail::transform_plain(plain, context, context.first_parms_id());
  seal::detail::set_coefficients(plain, std::vector<std::int64_t>{-1, 0, 3, 0, 0}, 17);
  EXPECT_EQ(plain.to_string(), "3x^2 + 10");
  EXPECT_EQ(plain.coeff_count(), 3u);
  seal::detail::set_coefficients(plain, std::vector<std::int64_t>(8), 17);
  EXPECT_EQ(plain.to_string(), "0");
  EXPECT_EQ(plain.coeff_count(), 1u);
}

TEST(SealMemory, PoolsCountTheBytesOfArrays) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  EXPECT_EQ(pool.alloc_byte_count(), 0u);
  {
    Plaintext plain(100, pool);
    EXPECT_EQ(pool.alloc_byte_count(), 800u);
    EXPECT_TRUE(plain.pool() == pool);
  }
  EXPECT_EQ(pool.alloc_byte_count(), 800u);  // the most that were in use
  EXPECT_THROW(Plaintext(10, MemoryPoolHandle()), std::invalid_argument);
  EXPECT_THROW((void)static_cast<util::MemoryPool&>(*std::make_unique<MemoryPoolHandle>()), std::logic_error);
}

TEST(SealMemory, ProfilesChooseThePool) {
  const MemoryPoolHandle fixed = MemoryPoolHandle::New();
  {
    MMProfGuard guard(std::make_unique<MMProfFixed>(fixed));
    EXPECT_TRUE(MemoryManager::GetPool() == fixed);
    EXPECT_TRUE(MemoryManager::GetPool(mm_force_global) == MemoryPoolHandle::Global());
    EXPECT_THROW(guard.lock(), std::runtime_error);
  }
  EXPECT_TRUE(MemoryManager::GetPool() == MemoryPoolHandle::Global());
  auto before = MemoryManager::SwitchProfile(new MMProfThreadLocal);
  EXPECT_TRUE(MemoryManager::GetPool() == MemoryPoolHandle::ThreadLocal());
  MemoryManager::SwitchProfile(std::move(before));
  EXPECT_THROW(MemoryManager::SwitchProfile(std::unique_ptr<MMProf>()), std::invalid_argument);
}

TEST(SealMemory, ArraysGrowCopyAndMove) {
  DynArray<std::uint64_t> array(4, 2);
  array[1] = 5;
  array.resize(6);
  EXPECT_EQ(array[1], 5u);
  EXPECT_EQ(array[5], 0u);
  const DynArray<std::uint64_t> copy = array;
  DynArray<std::uint64_t> moved = std::move(array);
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), moved.begin(), moved.end()));
  moved.reserve(2);
  EXPECT_EQ(moved.size(), 2u);
  EXPECT_THROW((void)moved.at(2), std::out_of_range);
  const std::string bytes = saved(copy);
  EXPECT_THROW(moved.load(bytes_of(bytes), bytes.size(), 5), std::logic_error);
  moved.load(bytes_of(bytes), bytes.size());
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), moved.begin(), moved.end()));
}

}  // namespace
}  // namespace ringfort::testing
