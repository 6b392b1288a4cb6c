// SPDX-License-Identifier: Apache-2.0
// Tests saved keys of SEAL's interface that others have changed, and the memory through which secret keys pass.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "support/allocation.h"

namespace ringfort::testing {
namespace {

using seal::GaloisKeys, seal::RelinKeys, seal::SecretKey, seal::scheme_type;
using Elements = std::vector<std::uint32_t>;

constexpr std::size_t kDegree = 64;
// SEAL's header and the hash of the parameters precede the number of Galois elements.
constexpr std::size_t kCount = 16 + 32;

Machine machine_of(scheme_type scheme) {
  return Machine(seal_parameters(scheme, kDegree, {40, 40, 40}, scheme == scheme_type::ckks ? 0 : 7681));
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Replaces the Galois elements of saved keys. `claimed`: their number, as the bytes state it.
std::string renamed(const std::string& bytes, const Elements& elements, std::uint64_t claimed) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data() + kCount, sizeof count);
  std::string changed = bytes.substr(0, kCount);
  append(changed, claimed);
  for (const std::uint32_t element : elements) append(changed, element);
  changed += bytes.substr(kCount + 8 + 4 * count);
  const std::uint64_t size = changed.size();
  std::memcpy(changed.data() + 8, &size, sizeof size);
  return changed;
}
std::string renamed(const std::string& bytes, const Elements& elements) {
  return renamed(bytes, elements, elements.size());
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

TEST(SealSavedKeys, EveryNamedElementHasItsKey) {
  Machine m = machine_of(scheme_type::bfv);
  const std::string one = galois_bytes(m, {1}), both = galois_bytes(m, {0, 1});
  EXPECT_TRUE(loads<GaloisKeys>(m, one));
  EXPECT_TRUE(loads<GaloisKeys>(m, both));
  for (const Elements& good : {Elements{3}, {5}, {1}, {1, 3, 5}}) EXPECT_TRUE(loads<GaloisKeys>(m, renamed(one, good)));
  EXPECT_TRUE(loads<GaloisKeys>(m, renamed(both, {1, 3, 5, 123, 127})));  // -1 and -5 modulo 128
  for (const Elements& bad : {Elements{123}, {127}, {7}, {9}, {25}, {3, 7}, {4}, {0}, {129}, {0xffffffff}}) {
    EXPECT_FALSE(loads<GaloisKeys>(m, renamed(one, bad))) << bad.back();
  }
  GaloisKeys loaded;
  const std::string bytes = renamed(one, {5});
  loaded.load(m.context, bytes_of(bytes), bytes.size());
  EXPECT_TRUE(loaded.has_key(5));
  EXPECT_FALSE(loaded.has_key(3));
  seal::Ciphertext a = m.encrypt(seal::Plaintext("1x^1"));
  m.evaluator.apply_galois_inplace(a, 5, loaded);
  EXPECT_EQ(m.text(a), "1x^5");
}

TEST(SealSavedKeys, ElementsAscend) {
  Machine m = machine_of(scheme_type::bfv);
  const std::string bytes = galois_bytes(m, {1});
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, {3, 3})));
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, {5, 3})));
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, {3}, 2)));
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, {3}, ~std::uint64_t{0})));
  GaloisKeys keys;
  m.generator.create_galois_keys(Elements{5, 3, 5, 127}, keys);
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_TRUE(loads<GaloisKeys>(m, saved(keys)));
}

TEST(SealSavedKeys, NamesWithoutKeysAreRefusedBeforeTheyTakeMemory) {
  Machine m = machine_of(scheme_type::bfv);
  GaloisKeys identity;
  m.generator.create_galois_keys(Elements{1}, identity);  // needs no key
  const std::string bytes = saved(identity);
  EXPECT_TRUE(loads<GaloisKeys>(m, bytes));
  Elements all;
  for (std::uint32_t element = 1; element < 2 * kDegree; element += 2) all.push_back(element);
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, all)));
  EXPECT_FALSE(loads<GaloisKeys>(m, renamed(bytes, Elements(kDegree, 1))));
  EXPECT_FALSE(loads<seal::KSwitchKeys>(m, renamed(bytes, {3})));
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
  whole.seekg(0);
  size = 0;
  seal::Serialization::Load(read, whole, false);
  EXPECT_GT(frees_with_bytes(), 0u);
  watch_frees({});
}

}  // namespace
}  // namespace ringfort::testing
