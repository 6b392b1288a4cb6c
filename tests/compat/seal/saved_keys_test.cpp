// SPDX-License-Identifier: Apache-2.0
// Tests the memory through which saved secret keys of SEAL's interface pass.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "support/allocation.h"

namespace ringfort::testing {
namespace {

using seal::SecretKey, seal::scheme_type;

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
