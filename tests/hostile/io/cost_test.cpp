// SPDX-License-Identifier: Apache-2.0
// Tests the cost of reading a file. In memory, an object needs a small multiple of the bytes of its file. The tests
// measure this multiple. Parameters may describe a ring that is far larger than their file. A passphrase may need much
// time and memory. The reader has limits for rings and for passphrases. The reader checks these limits before it builds
// a ring or derives a key.
#include <gtest/gtest.h>

#include "../../../fuzz/mend.h"
#include "math/prime.h"
#include "support/allocation.h"
#include "support/leveled_files.h"
#include "support/older_key.h"
#include "support/refused.h"

#if defined(__GLIBC__)
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define RINGFORT_COUNTS_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RINGFORT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define RINGFORT_SANITIZED 1
#endif
#endif

namespace ringfort::testing {
namespace {

// bytes in memory per byte of the file; measured: 1.5 to 3, and 8.9 if one prime is long and the others are very short
constexpr double kMostBytesOfAFile = 10;
constexpr double kMostBytesOfARing = 48;  // per coefficient and prime; measured: 36

const std::vector<u8>& parameters_file() {
  static const auto bytes = io::encode_parameters(receiver().ckks);
  return bytes;
}

Failure refused(const std::vector<u8>& bytes, const io::Limits& limits) {
  watch_allocations();
  const auto opened = io::open_parameters(bytes, true, limits);
  EXPECT_LT(largest_allocation(), 4096U) << "something was built before it was refused";
  return opened.ok() ? Failure{} : opened.failure();
}

TEST(ReadersLimits, OfDegreeAndPrimesRefuseWithTheNameOfTheOption) {
  const auto& chain = receiver().ckks.parameters().chain;
  const u32 primes = static_cast<u32>(chain.data.size() + chain.special.size());
  EXPECT_TRUE(io::open_parameters(parameters_file(), true, {chain.n, primes}).ok());
  const Failure degree = refused(parameters_file(), {chain.n / 2, primes}),
                count = refused(parameters_file(), {chain.n, primes - 1});
  EXPECT_EQ(degree.code, Code::io_limit);
  EXPECT_NE(degree.fix.find("most_degree"), std::string::npos) << degree.fix;
  EXPECT_EQ(count.code, Code::io_limit);
  EXPECT_NE(count.fix.find("most_primes"), std::string::npos) << count.fix;
}

// BFV multiplies modulo additional primes, which no file contains. The reader's limit on primes includes them.
TEST(ReadersLimits, OfPrimesCountThoseOfBfvsProducts) {
  const auto bytes = io::encode_parameters(receiver().bfv);
  const auto& chain = receiver().bfv.parameters().chain;
  const u32 named = static_cast<u32>(chain.data.size() + chain.special.size()),
            all = receiver().bfv.keys().state()->ring.limbs().count;
  ASSERT_GT(all, named);
  EXPECT_TRUE(io::open_parameters(bytes, true, {chain.n, all}).ok());
  const Failure why = refused(bytes, {chain.n, all - 1});
  EXPECT_EQ(why.code, Code::io_limit);
  EXPECT_NE(why.problem.find("with the auxiliary primes of products, is " + std::to_string(all)), std::string::npos)
      << why.problem;
  EXPECT_NE(why.fix.find("most_primes"), std::string::npos) << why.fix;
  const auto bgv = io::encode_parameters(receiver().bgv);
  EXPECT_TRUE(io::open_parameters(bgv, true, {chain.n, receiver().bgv.keys().state()->ring.limbs().count}).ok());
}

// A scale may leave its range on a lower level. The reader refuses such a scale before it builds a context.
TEST(ReadersLimits, ScalesAreCheckedBeforeARingIsBuilt) {
  const auto& chain = receiver().ckks.parameters().chain;
  const std::size_t scale_at = io::kHeaderBytes + 8 + 6 * 4 + 3 * 4 + 8 * (chain.data.size() + chain.special.size());
  for (const double scale : {0x1p95, 0x1p3}) {
    auto bytes = parameters_file();
    io::store_u64(bytes.data() + scale_at, std::bit_cast<u64>(scale));
    fuzz::mend_leveled(bytes);
    const Failure why = refused(bytes, {});
    EXPECT_EQ(why.code, Code::io_range) << scale;
    EXPECT_NE(why.problem.find("levels"), std::string::npos) << why.problem;
  }
}

TEST(ReadersLimits, OfAPassphrasesStrengthRefuseBeforeAnyWork) {
  choose_seed(5);
  const KeyGenerator generator(receiver().ckks);
  auto bytes = copied(io::encode_secret_key(receiver().ckks, generator.secret_key(), kSamplePassphrase, 0));
  EXPECT_TRUE(io::open_secret_key(receiver().ckks, bytes, kSamplePassphrase, {.strength = 0}).ok());
  bytes[io::kHeaderBytes + 8] = 2;
  fuzz::mend_leveled(bytes);
  const auto opened = io::open_secret_key(receiver().ckks, bytes, kSamplePassphrase);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.failure().code, Code::io_limit);
  EXPECT_NE(opened.failure().fix.find("most_strength=2"), std::string::npos) << opened.failure().fix;
}

#if defined(RINGFORT_COUNTS_MEMORY) && !defined(RINGFORT_SANITIZED)

double allocated_bytes() {
  const auto facts = ::mallinfo2();
  return static_cast<double>(facts.uordblks + facts.hblkhd);
}

template <class Make>
double bytes_of(Make make) {
  const double before = allocated_bytes();
  const auto object = make();
  return allocated_bytes() - before;
}

TEST(ReadersMemory, ObjectsTakeAFewTimesTheirFile) {
  choose_seed(6);
  ckks::testing::Shape shape;
  shape.n = 1024;
  shape.levels = 2;
  const ckks::testing::Client client(ckks::testing::parameters_of(shape), "ref", {1, -3});
  const auto& context = client.context;
  context.keys().keep_at_most(0);  // no device memory is kept, because kept memory would hide allocations
  const auto fresh = client.encrypt({0.5, -0.25});
  const auto seeded = io::encode_ciphertext(context, fresh),
             wide = io::encode_ciphertext(context, client.evaluator.add(fresh, fresh));
  const auto open = io::encode_key(context, client.open),
             relinearization = io::encode_key(context, client.relinearization),
             galois = io::encode_key(context, client.galois);
  const std::vector<std::pair<std::string, double>> found = {
      {"seeded ciphertext",
       bytes_of([&] { return io::decode_ciphertext(context, seeded); }) / static_cast<double>(seeded.size())},
      {"ciphertext", bytes_of([&] { return io::decode_ciphertext(context, wide); }) / static_cast<double>(wide.size())},
      {"public key", bytes_of([&] { return io::decode_public_key(context, open); }) / static_cast<double>(open.size())},
      {"relinearization key", bytes_of([&] { return io::decode_relinearization_key(context, relinearization); }) /
                                  static_cast<double>(relinearization.size())},
      {"Galois keys",
       bytes_of([&] { return io::decode_galois_keys(context, galois); }) / static_cast<double>(galois.size())}};
  for (const auto& [name, factor] : found) {
    RecordProperty(name.substr(0, name.find(' ')), std::to_string(factor));
    EXPECT_LT(factor, kMostBytesOfAFile) << name;
    EXPECT_GT(factor, 0.5) << name << ": nothing was measured";
  }
}

// The file has a correct header, followed by a hole of 1 GiB. The reader refuses the file before it allocates memory
// for the hole.
TEST(ReadersMemory, AFileLargerThanItsHeaderSaysTakesNone) {
  const Folder folder;
  const std::string path = folder / "file";
  write_all(path, parameters_file());
  EXPECT_EQ(io::load(path, u64{2} << 30).view().size(), parameters_file().size());
  for (const u64 size : {u64{1} << 30, u64{parameters_file().size()} - 1}) {
    std::filesystem::resize_file(path, size);
    watch_allocations();
    expect_refused(Code::io_length, [&] { (void)io::load(path, u64{2} << 30); }, "copy it again");
    EXPECT_LT(largest_allocation(), 4096U);
  }
  for (const u64 size : {u64{io::kHeaderBytes + io::kTrailerBytes} - 1, u64{io::kHeaderBytes}, u64{10}}) {
    std::filesystem::resize_file(path, size);
    expect_refused(Code::io_truncated, [&] { (void)io::load(path, u64{2} << 30); }, "");
  }
}

template <class Context, class Parameters>
void expect_small_ring(const char* scheme, const Parameters& p) {
  const u32 primes = Context(p, "cpu").keys().state()->ring.limbs().count;
  const double factor = bytes_of([&] { return Context(p, "cpu"); }) / (static_cast<double>(p.chain.n) * primes);
  ::testing::Test::RecordProperty(scheme, std::to_string(factor));
  EXPECT_LT(factor, kMostBytesOfARing) << scheme;
  EXPECT_GT(factor, 8) << scheme;
}

// Measures each scheme. For BFV, the limit includes the additional primes.
TEST(ReadersMemory, ARingTakesSomeBytesACoefficientAndPrime) {
  ckks::testing::Shape shape;
  shape.n = 1024;
  shape.levels = 6;
  expect_small_ring<ckks::Context>("ckks", ckks::testing::parameters_of(shape));
  for (auto integers : {integers::testing::bfv_shape(), integers::testing::short_words()}) {
    integers.n = 1024;
    expect_small_ring<bfv::Context>("bfv", integers::testing::parameters_of<bfv::Scheme>(integers));
    expect_small_ring<bgv::Context>("bgv", integers::testing::parameters_of<bgv::Scheme>(integers));
  }
}

// A file packs residues modulo a prime of 14 bits into 14 bits each, but in memory they take words of 64 bits. Instead
// of the uniform half of a key, a file stores its seed. No ring of 128-bit security has a larger ratio of memory to
// file.
TEST(ReadersMemory, ObjectsOfTheShortestPrimesBesideALongOneTakeNoMore) {
  for (const auto& [n, data] :
       {std::pair<u32, std::vector<u64>>{2048, {12289}}, {8192, {65537, 114689, 147457}}, {16384, {65537, 163841}}}) {
    bgv::Parameters p;
    p.chain.n = n;
    p.chain.data = data;
    p.chain.special = {static_cast<u64>(ntt_primes(32, n, 1).take()[0])};
    p.plain_modulus = 3;
    const bgv::Context context(p, "cpu");
    context.keys().keep_at_most(0);
    const KeyGenerator generator(context);
    // a key of version 2, because the limb for the special prime has longer residues
    const auto open = io::encode_key(context, without_special_limb(generator.create_public_key())),
               relinearization = io::encode_key(context, generator.create_relinearization_key());
    const double of_open =
        bytes_of([&] { return io::decode_public_key(context, open); }) / static_cast<double>(open.size());
    const double of_switch = bytes_of([&] { return io::decode_relinearization_key(context, relinearization); }) /
                             static_cast<double>(relinearization.size());
    RecordProperty("public" + std::to_string(n), std::to_string(of_open));
    RecordProperty("relinearization" + std::to_string(n), std::to_string(of_switch));
    EXPECT_LT(of_open, kMostBytesOfAFile) << n;
    EXPECT_LT(of_switch, kMostBytesOfAFile) << n;
    EXPECT_GT(of_open, 6) << n << ": the limit for all files follows from this case";
  }
}

#endif

}  // namespace
}  // namespace ringfort::testing
