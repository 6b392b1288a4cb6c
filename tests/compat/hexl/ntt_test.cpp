// SPDX-License-Identifier: Apache-2.0
// Tests the class NTT of HEXL's interface. Expected outputs are the definition (the values of the polynomial at powers
// of the root), and outputs of HEXL that tests/vectors has as digests.
#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "hexl/hexl.hpp"
#include "ringfort/error.h"
#include "support/refused.h"
#include "support/vectors.h"

namespace ringfort::testing::ntt_test {
namespace {

using intel::hexl::AlignedVector64, intel::hexl::NTT;
using Words = std::vector<u64>;

u64 smallest_prime(u64 bits, u64 n) { return intel::hexl::GeneratePrimes(1, bits - 1, true, n)[0]; }
u64 largest_prime(u64 bits, u64 n) { return intel::hexl::GeneratePrimes(1, bits - 1, false, n)[0]; }

// Returns words below factor * q: the ends of the range, and random words.
Words words_below(u64 factor, u64 q, std::size_t n, u64 seed) {
  Words words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = splitmix64(seed + i) % (factor * q);
  words[0] = factor * q - 1;
  if (n > 3) words[n - 1] = factor == 1 ? 0 : q, words[n / 2] = q - 1;
  return words;
}

u64 value_at(const Words& polynomial, u64 x, u64 q) {
  u64 value = 0;
  for (std::size_t i = polynomial.size(); i-- > 0;) value = static_cast<u64>((u128{value} * x + polynomial[i]) % q);
  return value;
}

u64 point(u64 root, u64 j, u64 n, u64 q) {
  return intel::hexl::PowMod(root, 2 * intel::hexl::ReverseBits(j, intel::hexl::Log2(n)) + 1, q);
}

Words residues(Words words, u64 q) {
  for (u64& word : words) word %= q;
  return words;
}

// Compares transforms of all factors, to other memory and in place, with the values at powers of the root.
void expect_values(const NTT& ntt, u64 n, u64 q) {
  const u64 root = ntt.GetMinimalRootOfUnity();
  for (const u64 in : {1, 2, 4}) {
    const Words operand = words_below(in, q, n, n + in);
    Words values(n);
    for (u64 j = 0; j < n; ++j) values[j] = value_at(operand, point(root, j, n, q), q);
    for (const u64 out : {1, 4}) {
      Words forward(n), in_place = operand;
      ntt.ComputeForward(forward.data(), operand.data(), in, out);
      ntt.ComputeForward(in_place.data(), in_place.data(), in, out);
      ASSERT_EQ(forward, values) << "n=" << n << " q=" << q << " in=" << in;
      ASSERT_EQ(in_place, values) << "n=" << n << " q=" << q << " in=" << in;
    }
    if (in == 4) continue;
    for (const u64 out : {1, 2}) {
      Words lazy = values, inverse(n);
      for (u64 i = 0; i < n; i += 2) lazy[i] += (in - 1) * q;
      ntt.ComputeInverse(inverse.data(), lazy.data(), in, out);
      ntt.ComputeInverse(lazy.data(), lazy.data(), in, out);
      ASSERT_EQ(inverse, residues(operand, q)) << "n=" << n << " q=" << q << " in=" << in;
      ASSERT_EQ(lazy, inverse) << "n=" << n << " q=" << q << " in=" << in;
    }
  }
}

TEST(HexlNtt, OutputsAreTheValuesAtOddPowersOfTheSmallestRoot) {
  for (const u64 n : {1, 2, 4, 64, 256}) {
    for (const u64 bits : {18, 30, 31, 32, 33, 48, 49, 50, 51, 52, 60, 61, 62})
      for (const u64 q : {smallest_prime(bits, n), largest_prime(bits, n)}) expect_values(NTT(n, q), n, q);
  }
}

TEST(HexlNtt, AnotherRootGivesTheValuesAtItsPowers) {
  for (const u64 n : {2, 8, 128}) {
    const u64 q = largest_prime(50, n), smallest = intel::hexl::MinimalPrimitiveRoot(2 * n, q);
    for (u64 k = 1; k < 2 * n; k += n < 128 ? 2 : 62) {
      const u64 root = intel::hexl::PowMod(smallest, k, q);
      const NTT ntt(n, q, root);
      EXPECT_EQ(ntt.GetMinimalRootOfUnity(), root);
      expect_values(ntt, n, q);
    }
  }
}

TEST(HexlNtt, OutputsHaveTheDigestsOfHexlsOutputs) {
  const auto vectors = read_vectors("ntt_hexl.json");
  std::size_t compared = 0;
  for (const auto& each : vectors["cases"]) {
    const u64 n = each["N"], q = each["q"];
    AlignedVector64<uint64_t> words(n);
    for (u64 i = 0; i < n; ++i) words[i] = splitmix64(i) % q;
    NTT(n, q).ComputeForward(words.data(), words.data(), 1, 1);
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(words.data()), n * sizeof(u64));
    char text[2 * sizeof digest + 1];
    sodium_bin2hex(text, sizeof text, digest, sizeof digest);
    EXPECT_EQ(each["forward_sha256"], text) << "n=" << n << " q=" << q;
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

// Devices have degrees up to 2^17. Above, portable code computes.
TEST(HexlNtt, DegreesThatNoDeviceHasAreTransformedToo) {
  for (const u64 n : {u64{1} << 18, u64{1} << 20}) {
    const u64 q = largest_prime(60, n);
    const NTT ntt(n, q);
    Words operand(n), values(n), back(n);
    operand[1] = 1, operand[n - 1] = q - 2;  // x - 2 x^(n-1)
    ntt.ComputeForward(values.data(), operand.data(), 1, 1);
    for (const u64 j : {u64{0}, u64{1}, n / 2 + 3, n - 1}) {
      const u64 x = point(ntt.GetMinimalRootOfUnity(), j, n, q), last = intel::hexl::PowMod(x, n - 1, q);
      EXPECT_EQ(values[j], (x + (q - last) % q * u128{2}) % q) << "n=" << n << " j=" << j;
    }
    ntt.ComputeInverse(back.data(), values.data(), 1, 1);
    EXPECT_TRUE(back == operand) << "n=" << n;
  }
}

TEST(HexlNtt, TablesHaveThePowersOfTheRootAndTheirQuotients) {
  const u64 n = 16, q = largest_prime(55, n);
  const NTT ntt(n, q);
  const u64 root = ntt.GetMinimalRootOfUnity(), inverse = intel::hexl::InverseMod(root, q);
  const auto reversed = [&](u64 of, u64 i) { return intel::hexl::PowMod(of, intel::hexl::ReverseBits(i, 4), q); };
  const auto quotient = [&](u64 power, unsigned bits) { return static_cast<u64>((u128{power} << bits) / q); };
  for (u64 i = 0; i < n; ++i) {
    EXPECT_EQ(ntt.GetRootOfUnityPower(i), reversed(root, i));
    EXPECT_EQ(ntt.GetPrecon32RootOfUnityPowers()[i], quotient(reversed(root, i), 32));
    EXPECT_EQ(ntt.GetPrecon64RootOfUnityPowers()[i], quotient(reversed(root, i), 64));
  }
  const u64 order[] = {0, 8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 2, 3, 1};
  for (u64 i = 0; i < n; ++i) {
    const u64 power = reversed(inverse, order[i]);
    EXPECT_EQ(ntt.GetInvRootOfUnityPower(i), power) << i;
    EXPECT_EQ(ntt.GetPrecon32InvRootOfUnityPowers()[i], quotient(power, 32));
    EXPECT_EQ(ntt.GetPrecon52InvRootOfUnityPowers()[i], quotient(power, 52));
    EXPECT_EQ(ntt.GetPrecon64InvRootOfUnityPowers()[i], quotient(power, 64));
  }
  const u64 copies[] = {0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  ASSERT_EQ(ntt.GetAVX512RootOfUnityPowers().size(), std::size(copies));
  for (std::size_t i = 0; i < std::size(copies); ++i) {
    const u64 power = reversed(root, copies[i]);
    EXPECT_EQ(ntt.GetAVX512RootOfUnityPowers()[i], power) << i;
    EXPECT_EQ(ntt.GetAVX512Precon32RootOfUnityPowers()[i], quotient(power, 32));
    EXPECT_EQ(ntt.GetAVX512Precon52RootOfUnityPowers()[i], quotient(power, 52));
    EXPECT_EQ(ntt.GetAVX512Precon64RootOfUnityPowers()[i], quotient(power, 64));
  }
}

TEST(HexlNtt, CheckArgumentsIsTrueForTheRingsOfTheConstructors) {
  EXPECT_TRUE(NTT::CheckArguments(4, 17));
  EXPECT_TRUE(NTT::CheckArguments(1, 3));
  for (const auto& [n, q] : std::vector<std::pair<u64, u64>>{
           {0, 17}, {3, 13}, {16, 17}, {4, 33}, {4, 0}, {u64{1} << 21, largest_prime(60, u64{1} << 21)}}) {
    EXPECT_FALSE(NTT::CheckArguments(n, q)) << n << " " << q;
    expect_refused(Code::invalid_argument, [&, n = n, q = q] { NTT(n, q); }, "prime below 2^62");
  }
}

TEST(HexlNtt, IllegalArgumentsAreRefusedBeforeAnythingIsWritten) {
  const NTT ntt(8, 97);
  Words operand(8, 97), result(9, 7);
  const auto refused = [&](u64* out, const u64* in, u64 in_factor, u64 out_factor, std::string_view advice) {
    expect_refused(Code::invalid_argument, [&] { ntt.ComputeForward(out, in, in_factor, out_factor); }, advice);
    expect_refused(Code::invalid_argument, [&] { ntt.ComputeInverse(out, in, in_factor, out_factor); }, advice);
    EXPECT_EQ(result, Words(9, 7));
  };
  refused(nullptr, operand.data(), 2, 1, "address");
  refused(result.data(), nullptr, 2, 1, "address");
  refused(result.data(), operand.data(), 1, 1, "reduce it modulo 97");
  refused(result.data(), operand.data(), 3, 1, "choose one of 1, 2");
  refused(result.data(), operand.data(), 2, 3, "choose one of 1, ");
  refused(result.data(), result.data() + 1, 1, 1, "other memory");
  operand[7] = 2 * 97;
  refused(result.data(), operand.data(), 2, 1, "reduce it modulo 97");
  expect_refused(Code::invalid_argument, [&] { NTT(8, 97, u64{96}); }, "MinimalPrimitiveRoot");
  expect_refused(Code::invalid_argument, [&] { (void)ntt.GetRootOfUnityPower(8); }, "below GetDegree()");
  expect_refused(Code::invalid_argument, [&] { NTT().ComputeForward(result.data(), operand.data(), 1, 1); }, "make it");
  EXPECT_EQ(NTT().GetDegree(), 0u);
}

struct Limited {  // memory of the C library, until the given number of allocations
  int* left;
};

}  // namespace
}  // namespace ringfort::testing::ntt_test

namespace intel::hexl {

template <>
struct NTT::AllocatorAdapter<ringfort::testing::ntt_test::Limited, int>
    : public AllocatorInterface<NTT::AllocatorAdapter<ringfort::testing::ntt_test::Limited, int>> {
  AllocatorAdapter(ringfort::testing::ntt_test::Limited&& limited, int&& left) : limited_(limited) {
    *limited_.left = left;
  }
  void* allocate_impl(size_t bytes) { return (*limited_.left)-- > 0 ? std::malloc(bytes) : nullptr; }
  void deallocate_impl(void* memory, size_t) { std::free(memory); }

 private:
  ringfort::testing::ntt_test::Limited limited_;
};

}  // namespace intel::hexl

namespace ringfort::testing::ntt_test {
namespace {

TEST(HexlNtt, EveryFailingAllocationOfTheProgramsMemoryIsReported) {
  int left = 0, failures = 0;
  for (int allocations = 0;; ++allocations) {
    try {
      const NTT ntt(64, 257, Limited{&left}, int{allocations});
      (void)ntt.GetInvRootOfUnityPowers();
      break;
    } catch (const std::bad_alloc&) { ++failures; }
  }
  EXPECT_GE(failures, 11);
}

TEST(HexlNtt, ThreadsShareAnObjectAndItsTables) {
  const u64 n = 512, q = largest_prime(40, n);
  const NTT ntt(n, q, intel::hexl::PowMod(intel::hexl::MinimalPrimitiveRoot(2 * n, q), 5, q));
  const Words operand = words_below(1, q, n, 3);
  std::vector<Words> all(4, Words(n));
  std::vector<std::thread> threads;
  for (Words& values : all) {
    threads.emplace_back([&] {
      ntt.ComputeForward(values.data(), operand.data(), 1, 1);
      values.push_back(ntt.GetInvRootOfUnityPower(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Words& values : all) EXPECT_EQ(values, all[0]);
}

}  // namespace
}  // namespace ringfort::testing::ntt_test
