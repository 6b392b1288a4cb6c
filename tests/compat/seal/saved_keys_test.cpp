// SPDX-License-Identifier: Apache-2.0
// Tests saved keys of SEAL's interface that others have changed, and the memory through which secret keys pass.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "support/allocation.h"

namespace ringfort::testing::saved_keys_test {
namespace {

using seal::GaloisKeys, seal::RelinKeys, seal::SecretKey, seal::scheme_type;
using Elements = std::vector<std::uint32_t>;

constexpr std::size_t kDegree = 64;
// SEAL's header and the hash of the parameters precede the number of lists.
constexpr std::size_t kLists = 16 + 32;

Machine machine_of(scheme_type scheme) {
  return Machine(seal_parameters(scheme, kDegree, {40, 40, 40}, scheme == scheme_type::ckks ? 0 : 7681));
}

// Replaces bytes from `at` on.
template <class T>
std::string with(std::string bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

template <class Keys>
bool loads(const Machine& m, const std::string& bytes) {
  Keys from_memory, from_stream;
  std::istringstream stream(bytes);
  bool is_loaded = true;
  try {
    from_memory.load(m.context, bytes_of(bytes), bytes.size());
  } catch (const std::logic_error&) { is_loaded = false; }
  try {
    from_stream.load(m.context, stream);
    EXPECT_TRUE(is_loaded);
  } catch (const std::logic_error&) { EXPECT_FALSE(is_loaded); }
  EXPECT_EQ(from_memory.size(), from_stream.size());
  EXPECT_TRUE(is_loaded || (from_memory.data().empty() && from_memory.parms_id() == seal::parms_id_zero));
  return is_loaded;
}

std::string galois_bytes(Machine& m, const std::vector<int>& steps) {
  GaloisKeys keys;
  m.generator.create_galois_keys(steps, keys);
  return saved(keys);
}

TEST(SealSavedKeys, WrongNumbersOfListsAndPartsAreRefused) {
  Machine m = machine_of(scheme_type::bfv);
  const std::string relin = saved(m.relin_keys()), galois = galois_bytes(m, {1});
  for (const std::uint64_t lists : {std::uint64_t{2}, std::uint64_t{63}, std::uint64_t{65}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kLists, lists)));
    EXPECT_FALSE(loads<GaloisKeys>(m, with(galois, kLists, lists)));
    EXPECT_FALSE(loads<seal::KSwitchKeys>(m, with(galois, kLists, lists)));
  }
  for (const std::uint64_t parts : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kLists + 8, parts)));
    EXPECT_FALSE(loads<GaloisKeys>(m, with(galois, kLists + 16, parts)));  // element 3 has index 1
  }
}

TEST(SealSavedKeys, PartsOfOtherParametersAreRefused) {
  Machine m = machine_of(scheme_type::bfv);
  const std::string relin = saved(m.relin_keys());
  constexpr std::size_t kPart = kLists + 16;  // header of the first part, then its members
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, 16, m.context.first_parms_id())));
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kPart + 16, m.context.first_parms_id())));
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kPart + 16 + 32, '\0')));  // coefficients
  for (const std::size_t number : {0, 1, 2}) {                            // components, degree, primes
    const std::size_t at = kPart + 16 + 33 + 8 * number;
    EXPECT_FALSE(loads<RelinKeys>(m, with(relin, at, ~std::uint64_t{0})));
    EXPECT_FALSE(loads<RelinKeys>(m, with(relin, at, std::uint64_t{4})));
  }
  constexpr std::size_t kArray = kPart + 16 + 73;
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kArray + 16, ~std::uint64_t{0})));  // number of words
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kArray + 16, std::uint64_t{64})));
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kArray + 24, ~std::uint64_t{0})));     // a word
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kArray + 5, '\1')));                   // a compressed part
  EXPECT_FALSE(loads<RelinKeys>(m, with(relin, kPart + 8, std::uint64_t{1} << 40)));  // size of the part
}

TEST(SealSavedKeys, EveryShorterFileIsRefused) {
  Machine m = machine_of(scheme_type::bfv);
  const std::string relin = saved(m.relin_keys());
  for (std::size_t size = 0; size < relin.size(); size += 1 + size / 16) {
    RelinKeys keys;
    std::istringstream stream(relin.substr(0, size));
    EXPECT_THROW(keys.load(m.context, stream), std::runtime_error);
    const std::string shorter =
        with(relin.substr(0, std::max<std::size_t>(size, 16)), 8, std::uint64_t{std::max<std::size_t>(size, 16)});
    EXPECT_FALSE(loads<RelinKeys>(m, shorter)) << size;
  }
}

TEST(SealSavedKeys, TheIdentityMayHaveAKey) {
  Machine m = machine_of(scheme_type::bfv);
  GaloisKeys keys, again;
  m.generator.create_galois_keys(Elements{5, 1, 5}, keys);
  EXPECT_EQ(keys.size(), 2u);
  const std::string bytes = saved(keys);
  again.load(m.context, bytes_of(bytes), bytes.size());
  EXPECT_TRUE(again.has_key(1) && again.has_key(5) && !again.has_key(3));
  EXPECT_EQ(saved(again), bytes);
  seal::Ciphertext a = m.encrypt(seal::Plaintext("1x^1"));
  m.evaluator.apply_galois_inplace(a, 1, again);
  m.evaluator.apply_galois_inplace(a, 5, again);
  EXPECT_EQ(m.text(a), "1x^5");
}

TEST(SealSavedKeys, KeysOfTheOtherKindAreRefused) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks}) {
    Machine m = machine_of(scheme);
    const std::string relin = saved(m.relin_keys()), galois = galois_bytes(m, {1});
    EXPECT_TRUE(loads<RelinKeys>(m, relin));
    EXPECT_FALSE(loads<RelinKeys>(m, galois));
    EXPECT_FALSE(loads<GaloisKeys>(m, relin));
    EXPECT_TRUE(loads<seal::KSwitchKeys>(m, relin));
    EXPECT_TRUE(loads<seal::KSwitchKeys>(m, galois));
    RelinKeys unchanged = m.relin_keys();
    EXPECT_THROW(unchanged.unsafe_load(m.context, bytes_of(galois), galois.size()), std::logic_error);
    EXPECT_TRUE(unchanged.has_key(2));
  }
}

template <class Object>
void expect_not_saved(const Object& object) {
  std::ostringstream stream;
  EXPECT_THROW(object.save(stream, seal::compr_mode_type::none), std::logic_error);
  EXPECT_EQ(stream.str().size(), 0u);
  EXPECT_THROW(static_cast<void>(object.save_size(seal::compr_mode_type::none)), std::logic_error);
}

TEST(SealSavedKeys, ListsThatAProgramChangedAreNotSaved) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks}) {
    Machine m = machine_of(scheme);
    const RelinKeys relin = m.relin_keys();
    GaloisKeys galois;
    m.generator.create_galois_keys(std::vector<int>{1}, galois);
    RelinKeys no_object;
    no_object.data() = relin.data();
    no_object.parms_id() = relin.parms_id();
    expect_not_saved(no_object);
    RelinKeys longer = relin, shorter = relin, second_list = relin, other_part = relin, other_words = relin;
    longer.data()[0].push_back(longer.data()[0][0]);
    expect_not_saved(longer);
    shorter.data()[0].pop_back();
    expect_not_saved(shorter);
    second_list.data().push_back(second_list.data()[0]);
    expect_not_saved(second_list);
    other_part.data()[0][1] = m.public_key();
    expect_not_saved(other_part);
    other_words.data()[0][1].data().resize(3);
    expect_not_saved(other_words);
    std::swap(galois.data()[1], galois.data()[2]);
    expect_not_saved(galois);
    m.generator.create_galois_keys(Elements{}, galois);
    galois.data() = relin.data();
    expect_not_saved(galois);
    galois.data().clear();
    EXPECT_GT(saved(galois).size(), 16u);
  }
}

TEST(SealSavedKeys, PartsOfKeysAreNotSavedAsCiphertexts) {
  Machine m = machine_of(scheme_type::bfv);
  seal::PublicKey key = m.public_key();
  const seal::Ciphertext part = key.data();
  seal::Ciphertext resized = part;
  resized.resize(3);
  expect_not_saved(part);
  expect_not_saved(resized);
  expect_not_saved(m.relin_keys().data()[0][0]);
  key.data() = m.encrypt(seal::Plaintext("1"));
  expect_not_saved(key);
}

void expect_refused(const Machine& m, const SecretKey& key) {
  EXPECT_FALSE(is_valid_for(key, m.context));
  EXPECT_THROW(seal::KeyGenerator(m.context, key), std::invalid_argument);
  EXPECT_THROW(seal::Decryptor(m.context, key), std::invalid_argument);
  EXPECT_THROW(seal::Encryptor(m.context, key), std::invalid_argument);
  expect_not_saved(key);
}

TEST(SealSavedKeys, ASecretKeyWhoseWordsAProgramChangedIsRefused) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks}) {
    const Machine m = machine_of(scheme), other = machine_of(scheme);
    SecretKey changed = m.generator.secret_key(), replaced = changed, no_object;
    changed.data()[3] += 1;
    expect_refused(m, changed);
    changed.data()[3] -= 1;
    EXPECT_TRUE(is_valid_for(changed, m.context));
    EXPECT_EQ(saved(changed), saved(m.generator.secret_key()));
    replaced.data() = other.generator.secret_key().data();
    expect_refused(m, replaced);
    no_object.data() = changed.data();
    expect_refused(m, no_object);
    EXPECT_GT(saved(SecretKey()).size(), 16u);
  }
}

TEST(SealSavedKeys, MemoryOfSecretKeysIsZeroedBeforeItIsFreed) {
  const seal::SEALContext context(seal_parameters(scheme_type::bfv, 1024, {40, 40, 40}, 97), true,
                                  seal::sec_level_type::none);
  const seal::KeyGenerator generator(context);
  const std::string bytes = saved(generator.secret_key()), secret = bytes.substr(bytes.size() / 2, 32);
  std::istringstream whole(bytes), shorter(bytes.substr(0, bytes.size() - 1));
  SecretKey key;
  watch_frees(secret);
  key.load(context, whole);
  EXPECT_THROW(key.load(context, shorter), std::runtime_error);
  key.load(context, bytes_of(bytes), bytes.size());
  EXPECT_THROW(key.load(context, bytes_of(bytes), bytes.size() - 1), std::runtime_error);
  EXPECT_GT(key.save_size(), 0);
  {
    SecretKey copy = key;
    copy.data().data()[0] ^= 1;  // makes the words the copy's own
    SecretKey second = copy, third;
    third = second;
    EXPECT_EQ(third.data()[0], copy.data()[0]);
  }
  EXPECT_EQ(frees_with_bytes(), 0u);
  { const std::string copy(bytes); }
  EXPECT_EQ(frees_with_bytes(), 1u);
  watch_frees({});
  EXPECT_EQ(key.data(), generator.secret_key().data());
}

TEST(SealSavedKeys, GrowingMemoryForSecretMembersIsZeroed) {
  const std::string secret = "32 bytes that only a secret has.", members(std::size_t{3} << 20, 'x');
  std::string bytes(16, 0);
  seal::Serialization::SEALHeader header;
  header.size = sizeof header + members.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes += secret + members.substr(secret.size());
  std::istringstream whole(bytes), shorter(bytes.substr(0, bytes.size() - 1));
  std::size_t size = 0;
  const auto read = [&](std::istream& from, seal::SEALVersion) {
    for (char c = 0; size < members.size(); ++size) from.get(c);
  };
  watch_frees(secret);
  EXPECT_EQ(seal::Serialization::Load(read, whole, true), static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(size, members.size());
  EXPECT_THROW(seal::Serialization::Load(read, shorter, true), std::runtime_error);
  EXPECT_EQ(frees_with_bytes(), 0u);
  { const std::vector<char> copy(secret.begin(), secret.end()); }
  EXPECT_GT(frees_with_bytes(), 0u);  // the watch works
  watch_frees({});
}

template <class Object>
void expect_parameters_are_refused(const std::string& bytes) {
  const seal::SEALContext invalid(seal::EncryptionParameters(scheme_type::bfv));
  Object object;
  std::istringstream stream(bytes);
  EXPECT_THROW(object.load(invalid, stream), std::invalid_argument);
  EXPECT_EQ(stream.tellg(), 0);
  EXPECT_THROW(object.unsafe_load(invalid, bytes_of(bytes), bytes.size()), std::invalid_argument);
}

TEST(SealSavedKeys, AContextWithInvalidParametersLoadsNothing) {
  Machine m = machine_of(scheme_type::bfv);
  expect_parameters_are_refused<seal::Ciphertext>(saved(m.encrypt(seal::Plaintext("5"))));
  expect_parameters_are_refused<SecretKey>(saved(m.generator.secret_key()));
  expect_parameters_are_refused<seal::PublicKey>(saved(m.public_key()));
  expect_parameters_are_refused<RelinKeys>(saved(m.relin_keys()));
}

}  // namespace
}  // namespace ringfort::testing::saved_keys_test
