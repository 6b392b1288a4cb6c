// SPDX-License-Identifier: Apache-2.0
// Tests saved ciphertexts and keys, objects of a second context, the words of ciphertexts, and operands that are not
// valid, of SEAL's interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "compat/seal/machine.h"
#include "support/allocation.h"
#include "support/vectors.h"

namespace ringfort::testing::objects_test {
namespace {

using seal::Ciphertext, seal::GaloisKeys, seal::Plaintext, seal::PublicKey, seal::RelinKeys, seal::scheme_type;
using seal::SecretKey;

constexpr std::size_t kDegree = 64;
const std::vector<scheme_type> kSchemes = {scheme_type::bfv, scheme_type::bgv, scheme_type::ckks};

seal::EncryptionParameters parameters_of(scheme_type scheme) {
  return seal_parameters(scheme, kDegree, {50, 40, 40, 50}, scheme == scheme_type::ckks ? 0 : 7681);
}

Plaintext plaintext_of(const Machine& m, std::uint64_t value) {
  if (m.context.key_context_data()->parms().scheme() == scheme_type::ckks) {
    return m.encode(static_cast<double>(value), 0x1p30);
  }
  return m.batch(std::vector<std::uint64_t>(kDegree, value));
}

std::uint64_t first_value(Machine& m, const Ciphertext& encrypted) {
  if (m.context.key_context_data()->parms().scheme() == scheme_type::ckks)
    return static_cast<std::uint64_t>(std::llround(m.numbers(encrypted)[0]));
  return m.slots(encrypted)[0];
}

template <class Object>
std::string saved(const Object& object) {
  std::stringstream stream;
  constexpr auto kNone = seal::compr_mode_type::none;
  const auto written = object.save(stream, kNone);
  EXPECT_EQ(static_cast<std::size_t>(written), stream.str().size());
  EXPECT_EQ(object.save_size(kNone), written);
  std::vector<seal::seal_byte> buffer(static_cast<std::size_t>(written));
  EXPECT_EQ(object.save(buffer.data(), buffer.size(), kNone), written);
  return stream.str();
}

// Loads from a stream and from memory, and returns the object.
template <class Object>
Object loaded(const seal::SEALContext& context, const std::string& bytes) {
  std::stringstream stream(bytes + "more");
  Object from_stream, from_memory;
  EXPECT_EQ(from_stream.load(context, stream), static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(from_memory.load(context, reinterpret_cast<const seal::seal_byte*>(bytes.data()), bytes.size()),
            static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(from_stream.parms_id(), from_memory.parms_id());
  return from_memory;
}

TEST(SealObjects, SavedObjectsWorkInASecondContext) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    RelinKeys relin = m.relin_keys();
    GaloisKeys galois;
    m.generator.create_galois_keys(galois);
    const Ciphertext encrypted = m.encrypt(plaintext_of(m, 3));
    const std::string secret_bytes = saved(m.generator.secret_key()), public_bytes = saved(m.public_key()),
                      relin_bytes = saved(relin), galois_bytes = saved(galois), bytes = saved(encrypted);

    const seal::SEALContext second(parameters_of(scheme), true, seal::sec_level_type::none);
    const auto secret = loaded<SecretKey>(second, secret_bytes);
    EXPECT_EQ(secret.data(), m.generator.secret_key().data());
    Ciphertext a = loaded<Ciphertext>(second, bytes), b;
    EXPECT_EQ(a.scale(), encrypted.scale());
    EXPECT_TRUE(std::equal(a.dyn_array().begin(), a.dyn_array().end(), encrypted.data()));
    const seal::Evaluator evaluator(second);
    evaluator.square_inplace(a);
    evaluator.relinearize_inplace(a, loaded<RelinKeys>(second, relin_bytes));
    const auto rotations = loaded<GaloisKeys>(second, galois_bytes);
    EXPECT_EQ(rotations.size(), galois.size());
    scheme == scheme_type::ckks ? evaluator.rotate_vector_inplace(a, 5, rotations)
                                : evaluator.rotate_rows_inplace(a, 5, rotations);
    EXPECT_EQ(first_value(m, a), 9u);
    seal::Encryptor(second, loaded<PublicKey>(second, public_bytes)).encrypt(plaintext_of(m, 4), b);
    EXPECT_EQ(first_value(m, b), 4u);
  }
}

TEST(SealObjects, ObjectsOfAContextWithEqualParametersAreTaken) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme)), other(parameters_of(scheme));
    const Ciphertext a = m.encrypt(plaintext_of(m, 3));
    const seal::Encryptor encryptor(other.context, m.public_key(), m.generator.secret_key());
    GaloisKeys galois;
    m.generator.create_galois_keys(galois);
    Ciphertext b;
    encryptor.encrypt_symmetric(plaintext_of(m, 4), b);
    other.evaluator.add_inplace(b, a);
    EXPECT_EQ(first_value(m, b), 7u);
    other.evaluator.multiply_inplace(b, a);
    other.evaluator.relinearize_inplace(b, m.relin_keys());
    EXPECT_EQ(first_value(m, b), 21u);
    other.evaluator.add_inplace(b, b);
    scheme == scheme_type::ckks ? other.evaluator.rotate_vector_inplace(b, 1, galois)
                                : other.evaluator.rotate_rows_inplace(b, 1, galois);
    Plaintext plain;
    seal::Decryptor(other.context, m.generator.secret_key()).decrypt(b, plain);
    EXPECT_EQ(first_value(m, b), 42u);
    seal::KeyGenerator again(other.context, m.generator.secret_key());
    RelinKeys relin;
    again.create_relin_keys(relin);
    EXPECT_EQ(again.secret_key().data(), m.generator.secret_key().data());
    EXPECT_NE(other.generator.secret_key().data(), m.generator.secret_key().data());
  }
}

TEST(SealObjects, SeedsMakeSymmetricEncryptionsAndKeysShort) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    const std::string seeded = saved(m.encryptor.encrypt_symmetric(plaintext_of(m, 5)));
    Ciphertext a = loaded<Ciphertext>(m.context, seeded);
    EXPECT_EQ(first_value(m, a), 5u);
    EXPECT_EQ(seeded.substr(16, 73 + 24), saved(a).substr(16, 73 + 8) + seeded.substr(16 + 73 + 8, 16));
    EXPECT_LT(4 * seeded.size(), 3 * saved(a).size());
    EXPECT_NE(saved(m.encryptor.encrypt_symmetric(plaintext_of(m, 5))), seeded);
    a = loaded<Ciphertext>(m.context, saved(m.encryptor.encrypt_zero_symmetric(m.context.last_parms_id())));
    EXPECT_EQ(a.parms_id(), m.context.last_parms_id());
    if (scheme == scheme_type::ckks) a.scale() = 0x1p20;
    EXPECT_EQ(first_value(m, a), 0u);

    const std::string relin_bytes = saved(m.generator.create_relin_keys()),
                      galois_bytes = saved(m.generator.create_galois_keys(std::vector<int>{1, 0}));
    const auto relin = loaded<RelinKeys>(m.context, relin_bytes);
    const auto galois = loaded<GaloisKeys>(m.context, galois_bytes);
    EXPECT_LT(3 * relin_bytes.size(), 2 * saved(relin).size());
    EXPECT_LT(3 * galois_bytes.size(), 2 * saved(galois).size());
    a = m.encrypt(plaintext_of(m, 3));
    m.evaluator.square_inplace(a);
    m.evaluator.relinearize_inplace(a, relin);
    scheme == scheme_type::ckks ? m.evaluator.rotate_vector_inplace(a, 1, galois)
                                : m.evaluator.rotate_rows_inplace(a, 1, galois);
    EXPECT_EQ(first_value(m, a), 9u);
    const auto key = loaded<PublicKey>(m.context, saved(m.generator.create_public_key()));
    seal::Encryptor(m.context, key).encrypt(plaintext_of(m, 4), a);
    EXPECT_EQ(first_value(m, a), 4u);
  }
}

TEST(SealObjects, CompressedObjectsAreThoseThatWereSaved) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    const Ciphertext a = m.encrypt(plaintext_of(m, 3));
    for (const auto mode : {seal::compr_mode_type::zlib, seal::compr_mode_type::zstd}) {
      std::stringstream stream;
      if (!seal::Serialization::IsSupportedComprMode(mode)) {
        EXPECT_THROW(a.save(stream, mode), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(a.save_size(mode)), std::invalid_argument);
        continue;
      }
      const auto written = a.save(stream, mode);
      const std::string bytes = stream.str();
      EXPECT_EQ(static_cast<std::size_t>(written), bytes.size());
      EXPECT_LE(written, a.save_size(mode));
      EXPECT_LT(written, a.save_size(seal::compr_mode_type::none));  // words have zero bits at their ends
      EXPECT_EQ(saved(loaded<Ciphertext>(m.context, bytes)), saved(a));
      for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 8) {
        Ciphertext b;
        std::stringstream shorter(bytes.substr(0, size));
        EXPECT_ANY_THROW(b.load(m.context, shorter)) << size;
      }
      std::string longer = bytes + "x";
      longer[8] = static_cast<char>(longer[8] + 1);  // a byte after the compressed bytes
      Ciphertext b;
      std::stringstream more(longer);
      if (longer[8] != 0) { EXPECT_THROW(b.load(m.context, more), std::logic_error); }
      std::stringstream secret;
      m.generator.secret_key().save(secret, mode);
      EXPECT_EQ(saved(loaded<SecretKey>(m.context, secret.str())), saved(m.generator.secret_key()));
    }
  }
}

TEST(SealObjects, AFewCompressedBytesTakeNoMemory) {
  Machine m(parameters_of(scheme_type::bfv));
  for (const auto mode : {seal::compr_mode_type::zlib, seal::compr_mode_type::zstd}) {
    if (!seal::Serialization::IsSupportedComprMode(mode)) continue;
    // 64 MiB of zeros in place of the members of a ciphertext
    std::stringstream stream;
    const std::string zeros(std::size_t{64} << 20, 0);
    seal::Serialization::Save([&](std::ostream& to) { to.write(zeros.data(), zeros.size()); },
                              static_cast<std::streamoff>(16 + zeros.size()), stream, mode, false);
    EXPECT_LT(stream.str().size(), std::size_t{1} << 18);
    Ciphertext a;
    watch_allocations();
    EXPECT_THROW(a.load(m.context, stream), std::logic_error);
    EXPECT_LT(largest_allocation(), std::size_t{1} << 20);
  }
}

TEST(SealObjects, CompressedKeysThatAreMuchLongerThanTheirBytesAreRefused) {
  constexpr std::uint64_t kN = 1024, kWords = 2 * 2 * kN;
  Machine m(seal_parameters(scheme_type::bfv, kN, {40, 40}, 97));
  GaloisKeys one;
  m.generator.create_galois_keys(std::vector<std::uint32_t>{1}, one);
  const std::string bytes = saved(one);
  constexpr std::size_t kBefore = 16 + 32 + 8, kList = 8 + 16 + 73 + 24;
  std::string list = bytes.substr(kBefore, kList) + std::string(8 * kWords, 0);  // a key whose words are zero
  std::string members = bytes.substr(16, 40);
  for (std::uint64_t i = 0; i < kN; ++i) members += list;
  for (const auto mode : {seal::compr_mode_type::zlib, seal::compr_mode_type::zstd}) {
    if (!seal::Serialization::IsSupportedComprMode(mode)) continue;
    const auto compressed = [&](const std::string& text) {
      std::stringstream stream;
      seal::Serialization::Save([&](std::ostream& to) { to.write(text.data(), text.size()); },
                                static_cast<std::streamoff>(16 + text.size()), stream, mode, false);
      return stream.str();
    };
    const std::string bomb = compressed(members);
    EXPECT_LT(64 * bomb.size(), members.size());
    std::stringstream stream(bomb);
    GaloisKeys loaded_keys;
    EXPECT_THROW(loaded_keys.load(m.context, stream), std::logic_error);
    EXPECT_EQ(saved(loaded<GaloisKeys>(m.context, compressed(bytes.substr(16)))), bytes);
  }
}

TEST(SealObjects, CompressedObjectsInsideAnotherObjectAreLoaded) {
  Machine m(parameters_of(scheme_type::bfv));
  const Ciphertext a = m.encrypt(plaintext_of(m, 3));
  const Plaintext plain = plaintext_of(m, 4);
  const RelinKeys relin = m.relin_keys();
  const auto size = a.save_size() + plain.save_size() + relin.save_size() + 16;
  for (const auto outer : {seal::compr_mode_type::none, seal::Serialization::compr_mode_default}) {
    std::stringstream stream;
    const auto save = [&](std::ostream& to) {
      a.save(to);
      plain.save(to);
      relin.save(to);
    };
    std::ostringstream counted;
    save(counted);
    seal::Serialization::Save(save, outer == seal::compr_mode_type::none ? 16 + counted.str().size() : size, stream,
                              outer, false);
    Ciphertext b;
    Plaintext again;
    RelinKeys keys;
    const auto load = [&](std::istream& from, seal::SEALVersion) {
      b.load(m.context, from);
      again.load(m.context, from);
      keys.load(m.context, from);
    };
    const std::string bytes = stream.str();
    seal::Serialization::Load(load, stream, false);
    EXPECT_EQ(saved(b), saved(a));
    EXPECT_EQ(again, plain);
    EXPECT_EQ(saved(keys), saved(relin));
    std::string damaged = bytes;
    damaged[outer == seal::compr_mode_type::none ? 24 + 2 : 16] ^= 0x11;
    std::stringstream other(damaged);
    EXPECT_THROW(seal::Serialization::Load(load, other, false), std::logic_error);
  }
}

TEST(SealObjects, DamagedBytesAreRefusedAndLeaveTheObject) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    Ciphertext a = m.encrypt(plaintext_of(m, 3));
    RelinKeys relin = m.relin_keys();
    const std::string bytes = saved(a), relin_bytes = saved(relin);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      std::string damaged = seed % 2 == 0 ? bytes : relin_bytes;
      const std::size_t at = seed < 200 ? seed / 2 : splitmix64(seed) % damaged.size();
      seed % 5 == 0 ? damaged.resize(at) : static_cast<void>(damaged[at] ^= static_cast<char>(1 + seed % 255));
      std::stringstream stream(damaged);
      try {
        seed % 2 == 0 ? a.load(m.context, stream) : relin.load(m.context, stream);
        m.evaluator.negate_inplace(a);  // a loaded object is complete
        m.evaluator.negate_inplace(a);
      } catch (const std::logic_error&) {
      } catch (const std::runtime_error&) {}
      std::stringstream whole(bytes);
      a.load(m.context, whole);
    }
    std::stringstream stream(bytes.substr(0, bytes.size() - 1));
    EXPECT_ANY_THROW(a.load(m.context, stream));
    EXPECT_EQ(first_value(m, a), 3u);
  }
}

TEST(SealObjects, OtherParametersAreRefused) {
  Machine m(parameters_of(scheme_type::bfv));
  Machine other(seal_parameters(scheme_type::bfv, kDegree, {50, 40, 40, 50}, 257));
  std::stringstream secret, key, relin, encrypted;
  m.generator.secret_key().save(secret);
  m.public_key().save(key);
  m.relin_keys().save(relin);
  const Ciphertext a = m.encrypt(Plaintext("3"));
  a.save(encrypted);
  SecretKey secret_key;
  PublicKey public_key;
  RelinKeys relin_keys;
  Ciphertext b;
  EXPECT_THROW(secret_key.load(other.context, secret), std::logic_error);
  EXPECT_THROW(public_key.load(other.context, key), std::logic_error);
  EXPECT_THROW(relin_keys.load(other.context, relin), std::logic_error);
  EXPECT_THROW(b.load(other.context, encrypted), std::logic_error);
  EXPECT_THROW(other.evaluator.negate(a, b), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(other.decrypt(a)), std::invalid_argument);
  EXPECT_THROW(seal::Encryptor(other.context, m.public_key()), std::invalid_argument);
  EXPECT_THROW(seal::Decryptor(other.context, m.generator.secret_key()), std::invalid_argument);
  EXPECT_THROW(seal::KeyGenerator(other.context, m.generator.secret_key()), std::invalid_argument);
  EXPECT_FALSE(is_valid_for(a, other.context));
  EXPECT_TRUE(is_valid_for(a, m.context));
}

TEST(SealObjects, WordsThatAProgramChangesCount) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    Ciphertext a = m.encrypt(plaintext_of(m, 3));
    m.evaluator.mod_switch_to_next_inplace(a);
    const auto& primes = m.context.get_context_data(a.parms_id())->parms().coeff_modulus();
    Ciphertext doubled = a;
    for (std::size_t i = 0; i < a.dyn_array().size(); ++i) {
      const std::uint64_t q = primes[i / kDegree % primes.size()].value();
      ASSERT_LT(a[i], q);
      doubled[i] = a[i] * 2 % q;
    }
    EXPECT_TRUE(is_valid_for(doubled, m.context));
    EXPECT_EQ(first_value(m, doubled), 6u);
    EXPECT_EQ(first_value(m, a), 3u);
    EXPECT_EQ(first_value(m, loaded<Ciphertext>(m.context, saved(doubled))), 6u);
    m.evaluator.add_inplace(doubled, a);
    EXPECT_EQ(first_value(m, doubled), 9u);
    doubled[0] = primes[0].value();
    EXPECT_FALSE(is_valid_for(doubled, m.context));
    EXPECT_THROW(m.evaluator.negate_inplace(doubled), std::invalid_argument);
  }
}

TEST(SealObjects, ACopyWithChangedWordsCanBeSubtracted) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    const Ciphertext a = m.encrypt(plaintext_of(m, 3));
    const auto& primes = m.context.first_context_data()->parms().coeff_modulus();
    Ciphertext doubled = a, difference;
    EXPECT_THROW(m.evaluator.sub(doubled, a, difference), std::logic_error);
    for (std::size_t i = 0; i < a.dyn_array().size(); ++i)
      doubled[i] = a[i] * 2 % primes[i / kDegree % primes.size()].value();
    m.evaluator.sub(doubled, a, difference);
    EXPECT_EQ(first_value(m, difference), 3u);
    m.evaluator.negate_inplace(doubled);
    m.evaluator.add_inplace(doubled, a);
    m.evaluator.sub(a, doubled, difference);
    EXPECT_EQ(first_value(m, difference), 6u);
    doubled = a;
    doubled[0] = a[0];  // the same word
    EXPECT_THROW(m.evaluator.sub(a, doubled, difference), std::logic_error);
  }
}

TEST(SealObjects, ObjectsOfAnotherSecretKeyGiveRandomResults) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme)), other(parameters_of(scheme));
    const Ciphertext a = m.encrypt(plaintext_of(m, 3)), b = other.encrypt(plaintext_of(other, 4));
    Ciphertext c;
    m.evaluator.add(a, b, c);
    EXPECT_NE(m.decrypt(c), m.decrypt(a));
    EXPECT_NE(m.decrypt(b), other.decrypt(b));
    m.evaluator.multiply(a, a, c);
    m.evaluator.relinearize_inplace(c, other.relin_keys());
    EXPECT_NE(m.decrypt(c), m.decrypt(a));
  }
}

TEST(SealObjects, ACorrectionFactorThatAProgramSetsCounts) {
  Machine m(seal_parameters(scheme_type::bgv, kDegree, {50, 40, 40, 50}, 257));
  Ciphertext a = m.encrypt(Plaintext("6x^1 + 4")), b;
  EXPECT_EQ(a.correction_factor(), 1u);
  const Ciphertext fresh = a, one = m.encrypt(Plaintext("1"));
  a.correction_factor() = 2;  // all results are those of SEAL 4.1.2
  EXPECT_EQ(m.text(a), "3x^1 + 2");
  m.evaluator.add(a, one, b);
  EXPECT_EQ(m.text(b), "3x^1 + 3");
  m.evaluator.sub(one, a, b);
  EXPECT_EQ(m.text(b), "FEx^1 + 100");
  m.evaluator.multiply(a, one, b);
  EXPECT_EQ(m.text(b), "3x^1 + 2");
  m.evaluator.mod_switch_to_next(a, b);
  EXPECT_EQ(m.text(b), "3x^1 + 2");
  m.evaluator.multiply_plain(a, Plaintext("2"), b);
  m.evaluator.square_inplace(b);
  EXPECT_EQ(m.text(b), "24x^2 + 30x^1 + 10");
  m.evaluator.sub(fresh, a, b);
  EXPECT_EQ(m.text(b), "3x^1 + 2");
  m.evaluator.transform_from_ntt(a, b);
  m.evaluator.transform_to_ntt_inplace(b);
  EXPECT_EQ(m.text(b), "3x^1 + 2");
  b = loaded<Ciphertext>(m.context, saved(a));
  EXPECT_EQ(b.correction_factor(), 2u);
  EXPECT_EQ(m.text(b), "3x^1 + 2");
  EXPECT_EQ(m.text(fresh), "6x^1 + 4");
  for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{257}}) {
    a.correction_factor() = factor;
    EXPECT_FALSE(is_valid_for(a, m.context));
    EXPECT_THROW(m.evaluator.negate(a, b), std::invalid_argument);
  }
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks}) {
    Machine other(parameters_of(scheme));
    Ciphertext c = other.encrypt(plaintext_of(other, 3));
    c.correction_factor() = 2;
    EXPECT_THROW(other.evaluator.negate_inplace(c), std::invalid_argument);
  }
}

TEST(SealObjects, WordsAndFactorOfAProductCanBeCopied) {
  Machine m(parameters_of(scheme_type::bgv));
  Ciphertext product;
  m.evaluator.multiply(m.encrypt(Plaintext("3x^1")), m.encrypt(Plaintext("5")), product);
  m.evaluator.mod_switch_to_next_inplace(product);
  EXPECT_NE(product.correction_factor(), 1u);
  Ciphertext copy = m.encrypt(Plaintext("1"));
  copy.resize(m.context, product.parms_id(), product.size());
  const Ciphertext& from = product;
  std::copy_n(from.data(), from.dyn_array().size(), copy.data());
  EXPECT_NE(m.text(copy), "Fx^1");
  copy.correction_factor() = product.correction_factor();
  EXPECT_EQ(m.text(copy), "Fx^1");
  EXPECT_EQ(m.text(loaded<Ciphertext>(m.context, saved(copy))), "Fx^1");
  m.evaluator.add_inplace(copy, product);
  EXPECT_EQ(m.text(copy), "1Ex^1");
}

TEST(SealObjects, AProgramCanWriteACiphertext) {
  for (const scheme_type scheme : kSchemes) {
    Machine m(parameters_of(scheme));
    const Ciphertext a = m.encrypt(plaintext_of(m, 3));
    Ciphertext b(m.context);
    b.resize(2);
    std::copy_n(a.data(), a.dyn_array().size(), b.data());
    b.scale() = a.scale();
    b.is_ntt_form() = a.is_ntt_form();
    EXPECT_EQ(first_value(m, b), 3u);
    EXPECT_EQ(saved(b), saved(a));
    m.evaluator.add_inplace(b, a);
    EXPECT_EQ(first_value(m, b), 6u);
  }
}

TEST(SealObjects, WordsHaveTheFormOfTheCiphertext) {
  for (const scheme_type scheme : kExactSchemes) {
    Machine m(parameters_of(scheme));
    Ciphertext a = m.encrypt(plaintext_of(m, 3));
    const bool has_evaluations = a.is_ntt_form();
    if (has_evaluations) m.evaluator.transform_from_ntt_inplace(a);
    EXPECT_EQ(a.dyn_array().size(), 2 * 3 * kDegree);
    EXPECT_EQ(a.data(1), a.data() + 3 * kDegree);
    EXPECT_THROW(static_cast<void>(a.data(2)), std::out_of_range);
    EXPECT_THROW(static_cast<void>(a[2 * 3 * kDegree]), std::out_of_range);
    const std::vector<std::uint64_t> coefficients(a.data(), a.data() + 2 * 3 * kDegree);
    m.evaluator.transform_to_ntt_inplace(a);
    // The sum of all evaluations is n times the constant coefficient.
    const std::uint64_t q = m.context.key_context_data()->parms().coeff_modulus()[0].value();
    u128 sum = 0;
    for (std::size_t i = 0; i < kDegree; ++i) sum += a[i];
    EXPECT_EQ(sum % q, u128{coefficients[0]} * kDegree % q);
    m.evaluator.transform_from_ntt_inplace(a);
    EXPECT_TRUE(std::equal(coefficients.begin(), coefficients.end(), a.data()));
    if (has_evaluations) m.evaluator.transform_to_ntt_inplace(a);
    a.resize(3);
    EXPECT_EQ(a.size(), 3u);
    EXPECT_EQ(first_value(m, a), 3u);  // the third component is zero
  }
}

TEST(SealObjects, EmptyAndMissingObjectsAreRefused) {
  Machine m(parameters_of(scheme_type::bfv));
  Ciphertext empty, only_words(m.context), b;
  only_words.resize(2);
  std::fill_n(only_words.data(), only_words.dyn_array().size(), 1);
  const Ciphertext a = m.encrypt(Plaintext("3"));
  EXPECT_THROW(m.evaluator.negate(empty, b), std::invalid_argument);
  only_words.data()[0] = ~std::uint64_t{0};
  EXPECT_THROW(m.evaluator.negate(only_words, b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.add(a, only_words, b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.add_many({}, b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.multiply_many({}, m.relin_keys(), b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.exponentiate(a, 0, m.relin_keys(), b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.rescale_to_next(a, b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.relinearize(a, RelinKeys(), b), std::invalid_argument);
  EXPECT_THROW(m.evaluator.multiply(a, a, b, seal::MemoryPoolHandle()), std::invalid_argument);
  EXPECT_THROW(m.evaluator.multiply_plain(a, Plaintext("0"), b), std::logic_error);
  EXPECT_THROW(m.evaluator.sub(a, a, b), std::logic_error);
  EXPECT_THROW(m.evaluator.add_plain(a, Plaintext("FFFFFF"), b), std::invalid_argument);
  EXPECT_THROW(seal::Encryptor(m.context, PublicKey()), std::invalid_argument);
  seal::Encryptor encryptor(m.context, m.public_key());
  EXPECT_THROW(encryptor.encrypt_symmetric(Plaintext("3"), b), std::logic_error);
  EXPECT_EQ(b.size(), 0u);
  Ciphertext moved = a;
  moved.parms_id() = m.context.last_parms_id();
  EXPECT_THROW(m.evaluator.negate_inplace(moved), std::invalid_argument);
}

TEST(SealObjects, OnePrimeHasNoKeySwitching) {
  Machine m(seal_parameters(scheme_type::bfv, kDegree, {60}, 257));
  RelinKeys relin;
  GaloisKeys galois;
  EXPECT_THROW(m.generator.create_relin_keys(relin), std::logic_error);
  EXPECT_THROW(m.generator.create_galois_keys(galois), std::logic_error);
  EXPECT_EQ(m.text(m.encrypt(Plaintext("7x^2 + 1"))), "7x^2 + 1");
}

}  // namespace
}  // namespace ringfort::testing::objects_test
