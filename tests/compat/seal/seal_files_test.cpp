// SPDX-License-Identifier: Apache-2.0
// Loads files that SEAL 4.1.2 wrote (data/README.md), computes with them, and compares what is saved again with the
// bytes of SEAL. data/write.mjs has the numbers in the ciphertexts.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"

namespace ringfort::testing::seal_files_test {
namespace {

using seal::Ciphertext, seal::GaloisKeys, seal::Plaintext, seal::PublicKey, seal::RelinKeys, seal::SecretKey;

std::string file(const std::string& name) {
  std::ifstream stream(std::string(RINGFORT_SEAL_FILES) + "/" + name + ".seal", std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

seal::EncryptionParameters parameters(const std::string& scheme) {
  const std::string bytes = file(scheme + "_parameters");
  seal::EncryptionParameters parms;
  EXPECT_EQ(parms.load(bytes_of(bytes), bytes.size()), static_cast<std::streamoff>(bytes.size()));
  return parms;
}

template <class Object>
Object loaded(const seal::SEALContext& context, const std::string& bytes) {
  Object from_memory, from_stream;
  std::istringstream stream(bytes + "more");
  EXPECT_EQ(from_memory.load(context, bytes_of(bytes), bytes.size()), static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(from_stream.load(context, stream), static_cast<std::streamoff>(bytes.size()));
  EXPECT_EQ(saved(from_memory), saved(from_stream));
  return from_memory;
}

// The objects of a scheme's files.
struct Files {
  explicit Files(const std::string& of) : scheme(of), context(parameters(of), true, seal::sec_level_type::none) {}

  template <class Object>
  [[nodiscard]] Object object(const std::string& name) const {
    return loaded<Object>(context, file(scheme + "_" + name));
  }
  [[nodiscard]] Plaintext decrypted(const Ciphertext& encrypted) const {
    Plaintext plain;
    seal::Decryptor(context, object<SecretKey>("secret")).decrypt(encrypted, plain);
    return plain;
  }
  [[nodiscard]] std::vector<std::int64_t> slots(const Ciphertext& encrypted) const {
    std::vector<std::int64_t> values;
    seal::BatchEncoder(context).decode(decrypted(encrypted), values);
    return values;
  }
  [[nodiscard]] std::vector<double> numbers(const Ciphertext& encrypted) const {
    std::vector<double> values;
    seal::CKKSEncoder(context).decode(decrypted(encrypted), values);
    return values;
  }

  std::string scheme;
  seal::SEALContext context;
};

// Returns the values of 64 slots modulo 7681, around zero.
template <class F>
std::vector<std::int64_t> integers(F value) {
  std::vector<std::int64_t> values(64);
  for (int i = 0; i < 64; ++i) values[static_cast<std::size_t>(i)] = (value(i) + 3840) % 7681 - 3840;
  return values;
}

// The value of slot i, after a rotation of both rows to the left by one.
template <class F>
auto rotated(F value) {
  return [value](int i) { return value(i / 32 * 32 + (i + 1) % 32); };
}

template <class F>
void expect_near(const std::vector<double>& found, F value) {
  ASSERT_EQ(found.size(), 128u);
  for (int i = 0; i < 128; ++i) EXPECT_NEAR(found[static_cast<std::size_t>(i)], value(i), 1e-4) << i;
}

const auto kFirst = [](int i) { return i - 3; };
const auto kSecond = [](int i) { return 2 * i + 1; };

TEST(SealFiles, OfIntegersDecryptAndCompute) {
  for (const std::string scheme : {"bfv", "bgv"}) {
    const Files f(scheme);
    const auto x = f.object<Ciphertext>("first"), y = f.object<Ciphertext>("second_seeded");
    EXPECT_EQ(f.slots(x), integers(kFirst));
    EXPECT_EQ(f.slots(y), integers(kSecond));
    const auto square = f.object<Ciphertext>("square_low");
    EXPECT_EQ(square.size(), 3u);
    EXPECT_EQ(f.slots(square), integers([](int i) { return kFirst(i) * kFirst(i); }));
    const seal::Evaluator evaluator(f.context);
    Ciphertext z;
    evaluator.multiply(x, y, z);
    evaluator.relinearize_inplace(z, f.object<RelinKeys>("relin"));
    EXPECT_EQ(z.size(), 2u);
    const auto product = [](int i) { return kFirst(i) * kSecond(i); };
    EXPECT_EQ(f.slots(z), integers(product));
    const auto galois = f.object<GaloisKeys>("galois_seeded");
    EXPECT_EQ(galois.size(), 2u);
    EXPECT_TRUE(galois.has_key(3) && galois.has_key(127));
    evaluator.rotate_rows_inplace(z, 1, galois);
    EXPECT_EQ(f.slots(z), integers(rotated(product)));
    evaluator.rotate_columns_inplace(z, galois);
    EXPECT_EQ(f.slots(z), integers([&](int i) { return rotated(product)((i + 32) % 64); }));
    std::vector<std::int64_t> decoded;
    seal::BatchEncoder(f.context).decode(f.object<Plaintext>("plain"), decoded);
    EXPECT_EQ(decoded, integers(kFirst));
  }
}

TEST(SealFiles, OfNumbersDecryptAndCompute) {
  const Files f("ckks");
  const auto first = [](int i) { return i / 128.0; };
  const auto second = [](int i) { return 1 - i / 256.0; };
  const auto y = f.object<Ciphertext>("second_seeded");
  expect_near(f.numbers(y), second);
  Ciphertext z;
  const seal::Evaluator evaluator(f.context);
  evaluator.square(y, z);
  evaluator.relinearize_inplace(z, f.object<RelinKeys>("relin_seeded"));
  evaluator.rescale_to_next_inplace(z);
  expect_near(f.numbers(z), [&](int i) { return second(i) * second(i); });
  if (!seal::Serialization::IsSupportedComprMode(1) || !seal::Serialization::IsSupportedComprMode(2)) GTEST_SKIP();
  expect_near(f.numbers(f.object<Ciphertext>("first_zlib")), first);
  expect_near(f.numbers(f.object<Ciphertext>("second_seeded_zstd")), second);
  const auto galois = f.object<GaloisKeys>("galois_seeded_zlib");
  evaluator.rotate_vector_inplace(z, 1, galois);
  expect_near(f.numbers(z), [&](int i) { return std::pow(second((i + 1) % 128), 2); });
  evaluator.complex_conjugate_inplace(z, galois);
  expect_near(f.numbers(z), [&](int i) { return std::pow(second((i + 1) % 128), 2); });
  std::vector<double> decoded;
  seal::CKKSEncoder(f.context).decode(f.object<Plaintext>("plain_zstd"), decoded);
  expect_near(decoded, first);
}

TEST(SealFiles, PublicKeysEncrypt) {
  for (const std::string scheme : {"bfv", "bgv"}) {
    const Files f(scheme);
    Ciphertext x;
    seal::Encryptor(f.context, f.object<PublicKey>("public")).encrypt(f.object<Plaintext>("plain"), x);
    EXPECT_EQ(f.slots(x), integers(kFirst));
  }
  const Files f("ckks");
  Ciphertext x;
  Plaintext plain;
  seal::CKKSEncoder(f.context).encode(0.5, 0x1p30, plain);
  seal::Encryptor(f.context, f.object<PublicKey>("public_seeded")).encrypt(plain, x);
  expect_near(f.numbers(x), [](int) { return 0.5; });
}

TEST(SealFiles, AreSavedWithTheSameBytes) {
  for (const std::string scheme : {"bfv", "bgv", "ckks"}) {
    const Files f(scheme);
    EXPECT_EQ(saved(parameters(scheme)), file(scheme + "_parameters"));
    EXPECT_EQ(saved(f.object<SecretKey>("secret")), file(scheme + "_secret"));
    if (scheme == "ckks") continue;
    EXPECT_EQ(saved(f.object<Plaintext>("plain")), file(scheme + "_plain"));
    EXPECT_EQ(saved(f.object<Ciphertext>("first")), file(scheme + "_first"));
    EXPECT_EQ(saved(f.object<Ciphertext>("square_low")), file(scheme + "_square_low"));
    EXPECT_EQ(saved(f.object<RelinKeys>("relin")), file(scheme + "_relin"));
    EXPECT_EQ(saved(f.object<PublicKey>("public")), file(scheme + "_public"));
  }
}

// The objects inside, too, state version 4.0.
std::string of_version_4_0(std::string bytes) {
  for (std::size_t at = 0; (at = bytes.find({"\x5e\xa1\x10\x04\x01", 5}, at)) != std::string::npos;) bytes[at + 4] = 0;
  return bytes;
}

TEST(SealFiles, UnseededGaloisKeysOfVersion40RotateAndAreSavedWithTheSameWords) {
  const Files f("bfv");
  const auto galois = f.object<GaloisKeys>("galois");
  EXPECT_EQ(of_version_4_0(saved(galois)), file("bfv_galois"));
  auto x = f.object<Ciphertext>("first");
  const seal::Evaluator evaluator(f.context);
  evaluator.rotate_rows_inplace(x, 1, galois);
  EXPECT_EQ(f.slots(x), integers(rotated(kFirst)));
  evaluator.rotate_columns_inplace(x, galois);
  EXPECT_EQ(f.slots(x), integers([](int i) { return rotated(kFirst)((i + 32) % 64); }));
}

// Returns the object with its members uncompressed.
std::string inflated(const std::string& bytes) {
  std::string members;
  seal::Serialization::Load(
      [&](std::istream& from, seal::SEALVersion) { members.assign(std::istreambuf_iterator<char>(from), {}); },
      bytes_of(bytes), bytes.size(), false);
  seal::Serialization::SEALHeader header;
  header.size = sizeof header + members.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + members;
}

TEST(SealFiles, ThatAreCompressedAreSavedWithTheSameMembers) {
  if (!seal::Serialization::IsSupportedComprMode(1) || !seal::Serialization::IsSupportedComprMode(2)) GTEST_SKIP();
  const Files f("ckks");
  EXPECT_EQ(saved(f.object<Ciphertext>("first_zlib")), inflated(file("ckks_first_zlib")));
  EXPECT_EQ(saved(f.object<Plaintext>("plain_zstd")), inflated(file("ckks_plain_zstd")));
}

// A ciphertext as SEAL before version 4 saved it: without a correction factor.
std::string of_version_3(std::string bytes, char minor) {
  constexpr std::size_t kFactor = 16 + 32 + 1 + 3 * 8 + 8;
  bytes.erase(kFactor, 8);
  seal::Serialization::SEALHeader header;
  header.version_major = 3;
  header.version_minor = static_cast<std::uint8_t>(minor);
  header.size = bytes.size();
  return bytes.replace(0, sizeof header, reinterpret_cast<const char*>(&header), sizeof header);
}

TEST(SealFiles, OfVersion3HaveNoCorrectionFactor) {
  for (const std::string scheme : {"bfv", "bgv"}) {
    const Files f(scheme);
    for (const char minor : {4, 5, 6, 7}) {
      const auto x = loaded<Ciphertext>(f.context, of_version_3(file(scheme + "_first"), minor));
      EXPECT_EQ(saved(x), file(scheme + "_first"));
      EXPECT_EQ(f.slots(x), integers(kFirst));
    }
  }
}

TEST(SealFiles, SeedsOfVersions34And35AreRefused) {
  const Files f("bfv");
  const std::string seeded = file("bfv_second_seeded");
  for (const char minor : {4, 5}) {
    const std::string bytes = of_version_3(seeded, minor);
    Ciphertext x;
    EXPECT_THROW(x.load(f.context, bytes_of(bytes), bytes.size()), std::logic_error);
  }
  EXPECT_EQ(f.slots(loaded<Ciphertext>(f.context, of_version_3(seeded, 6))), integers(kSecond));
}

TEST(SealFiles, SlotsOfEncodedPlaintextsAreThoseOfSeal) {
  for (const std::string scheme : {"bfv", "bgv"}) {
    const Files f(scheme);
    Plaintext plain;
    seal::BatchEncoder(f.context).encode(integers(kFirst), plain);
    EXPECT_EQ(plain, f.object<Plaintext>("plain"));
  }
}

TEST(SealFiles, SavedSecretKeysAreTheirWords) {
  const Files f("bfv");
  const auto secret = f.object<SecretKey>("secret");
  std::string words(reinterpret_cast<const char*>(secret.data().data()), 8 * secret.data().coeff_count());
  EXPECT_EQ(words, file("bfv_secret").substr(16 + 32 + 8 + 8 + 16 + 8));
}

}  // namespace
}  // namespace ringfort::testing::seal_files_test
