// SPDX-License-Identifier: Apache-2.0
// Tests the element-wise functions of HEXL's interface against their definitions, with integers of 128 bits.
#include <gtest/gtest.h>

#include <functional>

#include "hexl/hexl.hpp"
#include "ringfort/error.h"
#include "support/refused.h"
#include "support/vectors.h"

namespace ringfort::testing {
namespace {

using namespace intel::hexl;
using Words = std::vector<u64>;

// Moduli next to the limits of kernels and reductions: primes for transforms, other odd numbers, and powers of two.
const Words kModuli = {2,
                       3,
                       4,
                       5,
                       17,
                       65537,
                       1073738753,
                       (1ull << 31) - 1,
                       1ull << 32,
                       1125899906826241,
                       (1ull << 50) + 55,
                       1152921504606830593,
                       (1ull << 60),
                       (1ull << 61) - 1,
                       1ull << 61,
                       (1ull << 62) - 57,
                       (1ull << 63) - 25};

// Returns words below the bound: its ends, the modulus, and random words. A bound of 0 means 2^64.
Words words_below(u64 bound, u64 q, std::size_t n, u64 seed) {
  Words words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = bound == 0 ? splitmix64(seed + i) : splitmix64(seed + i) % bound;
  words[0] = bound - 1;
  if (n > 2) words[1] = 0, words[2] = q - 1;
  if (n > 5) words[5] = (q < bound || bound == 0) ? q : 0;
  return words;
}

// Vectors of n words at cache lines, and one word after them.
struct Arrays {
  AlignedVector64<uint64_t> a, b, out;
  std::size_t first;
  Arrays(const Words& left, const Words& right, std::size_t offset)
      : a(left.size() + 1),
        b(left.size() + 1),
        out(left.size() + 1),
        first(offset) {
    std::copy(left.begin(), left.end(), a.begin() + static_cast<long>(offset));
    std::copy(right.begin(), right.end(), b.begin() + static_cast<long>(offset));
  }
};

using Binary = std::function<void(u64*, const u64*, const u64*, u64)>;
using Expected = std::function<u64(u64, u64)>;

// Compares a function with its definition for lengths with and without a remainder, at and beside cache lines, with an
// output of its own, and with each operand as the output.
void expect_binary(u64 q, u64 bound, const Binary& compute, const Expected& expected) {
  for (const std::size_t n : {1, 7, 64, 515, 1024}) {
    const Words left = words_below(bound, q, n, n), right = words_below(bound, q, n, n + 5000);
    Words wanted(n), square(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = expected(left[i], right[i]), square[i] = expected(left[i], left[i]);
    for (const std::size_t offset : {0, 1}) {
      const auto check = [&](const Words& all, auto select) {
        Arrays arrays(left, right, offset);
        const auto [out, a, b] = select(arrays);
        compute(out, a, b, n);
        ASSERT_EQ(Words(out, out + n), all) << "q=" << q << " n=" << n << " bound=" << bound << " offset=" << offset;
      };
      using Chosen = std::tuple<u64*, const u64*, const u64*>;
      const auto at = [offset](auto& words) { return words.data() + offset; };
      check(wanted, [&](Arrays& v) { return Chosen{at(v.out), at(v.a), at(v.b)}; });
      check(wanted, [&](Arrays& v) { return Chosen{at(v.a), at(v.a), at(v.b)}; });
      check(wanted, [&](Arrays& v) { return Chosen{at(v.b), at(v.a), at(v.b)}; });
      check(square, [&](Arrays& v) { return Chosen{at(v.a), at(v.a), at(v.a)}; });
    }
  }
}

TEST(HexlEltwise, SumsAndDifferencesModuloEveryLengthOfModulus) {
  for (const u64 q : kModuli) {
    expect_binary(
        q, q, [q](u64* out, const u64* a, const u64* b, u64 n) { EltwiseAddMod(out, a, b, n, q); },
        [q](u64 a, u64 b) { return static_cast<u64>((u128{a} + b) % q); });
    expect_binary(
        q, q, [q](u64* out, const u64* a, const u64* b, u64 n) { EltwiseSubMod(out, a, b, n, q); },
        [q](u64 a, u64 b) { return static_cast<u64>((u128{a} + q - b) % q); });
    const u64 scalar = q - 1;
    expect_binary(
        q, q, [=](u64* out, const u64* a, const u64*, u64 n) { EltwiseAddMod(out, a, scalar, n, q); },
        [=](u64 a, u64) { return static_cast<u64>((u128{a} + scalar) % q); });
    expect_binary(
        q, q, [=](u64* out, const u64* a, const u64*, u64 n) { EltwiseSubMod(out, a, scalar, n, q); },
        [=](u64 a, u64) { return static_cast<u64>((u128{a} + q - scalar) % q); });
  }
}

TEST(HexlEltwise, ProductsOfLazyOperandsModuloEveryLengthOfModulus) {
  for (const u64 q : kModuli) {
    for (const u64 factor : {1, 2, 4}) {
      if ((u128{factor} * q) >> 63 != 0) continue;
      expect_binary(
          q, factor * q, [=](u64* out, const u64* a, const u64* b, u64 n) { EltwiseMultMod(out, a, b, n, q, factor); },
          [q](u64 a, u64 b) { return static_cast<u64>(u128{a} * b % q); });
    }
  }
}

TEST(HexlEltwise, ProductsWithOneNumberAndASum) {
  for (const u64 q : kModuli) {
    if (q >> 61 != 0) continue;
    for (const u64 factor : {1, 2, 4, 8}) {
      const u64 bound = static_cast<u64>(u128{factor} * q), scalar = bound - 1;
      expect_binary(
          q, bound,
          [=](u64* out, const u64* a, const u64* b, u64 n) { EltwiseFMAMod(out, a, scalar, b, n, q, factor); },
          [=](u64 a, u64 b) { return static_cast<u64>((u128{a} * scalar + b) % q); });
      expect_binary(
          q, bound,
          [=](u64* out, const u64* a, const u64*, u64 n) { EltwiseFMAMod(out, a, scalar, nullptr, n, q, factor); },
          [=](u64 a, u64) { return static_cast<u64>(u128{a} * scalar % q); });
    }
  }
}

TEST(HexlEltwise, ProductsWithOneNumberTakeAnyWordWithFactor8) {
  for (const u64 q : {u64{5}, u64{12289}, (u64{1} << 61) - 1}) {
    const Words words = {0, 70, ~u64{0}, u64{1} << 63};
    Words out(words.size());
    EltwiseFMAMod(out.data(), words.data(), 4, nullptr, words.size(), q, 8);
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(out[i], u128{words[i]} * 4 % q) << q;
  }
}

TEST(HexlEltwise, ReductionsReachTheRangeOfTheOutputFactor) {
  Words moduli = kModuli;
  moduli.push_back((u64{1} << 63) + 5);
  for (const u64 q : moduli) {
    for (const u64 out_factor : {1, 2}) {
      expect_binary(
          q, 0, [=](u64* out, const u64* a, const u64*, u64 n) { EltwiseReduceMod(out, a, n, q, q, out_factor); },
          [=](u64 a, u64) { return a % q; });
      for (const u64 in_factor : {1, 2, 4}) {
        if (in_factor == q) continue;
        const u128 bound = u128{in_factor} * q;
        expect_binary(
            q, bound >> 64 != 0 ? 0 : static_cast<u64>(bound),
            [=](u64* out, const u64* a, const u64*, u64 n) { EltwiseReduceMod(out, a, n, q, in_factor, out_factor); },
            [=](u64 a, u64) { return static_cast<u64>(u128{a} % (u128{out_factor} * q)); });
      }
    }
  }
}

TEST(HexlEltwise, ComparisonsSelectTheWords) {
  const std::vector<std::pair<CMPINT, bool (*)(u64, u64)>> all = {
      {CMPINT::EQ, [](u64 x, u64 y) { return x == y; }}, {CMPINT::NE, [](u64 x, u64 y) { return x != y; }},
      {CMPINT::LT, [](u64 x, u64 y) { return x < y; }},  {CMPINT::NLT, [](u64 x, u64 y) { return x >= y; }},
      {CMPINT::LE, [](u64 x, u64 y) { return x <= y; }}, {CMPINT::NLE, [](u64 x, u64 y) { return x > y; }},
      {CMPINT::FALSE, [](u64, u64) { return false; }},   {CMPINT::TRUE, [](u64, u64) { return true; }}};
  for (const auto& [comparison, is_true] : all) {
    EXPECT_EQ(static_cast<int>(Not(comparison)), static_cast<int>(comparison) ^ 4);
    for (const u64 bound : {u64{0}, u64{1000}, u64{1} << 63, ~u64{0}}) {
      const Words words = {0, 1, 999, 1000, 1001, u64{1} << 63, ~u64{0} - 1, ~u64{0}};
      Words sums(words.size()), differences(words.size());
      EltwiseCmpAdd(sums.data(), words.data(), words.size(), comparison, bound, 5);
      EltwiseCmpSubMod(differences.data(), words.data(), words.size(), 769, comparison, bound, 700);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const u64 x = words[i];
        EXPECT_EQ(sums[i], is_true(x, bound) ? x + 5 : x) << static_cast<int>(comparison) << " " << x << " " << bound;
        EXPECT_EQ(differences[i], is_true(x, bound) ? (x % 769 + 69) % 769 : x % 769) << x << " " << bound;
      }
    }
  }
}

// HEXL computes the words in ascending order. Therefore an output may overlap a later part of an operand.
TEST(HexlEltwise, AnOutputBeforeItsOperandMayOverlapIt) {
  AlignedVector64<uint64_t> words(1032);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i % 257;
  EltwiseAddMod(words.data(), words.data() + 8, words.data() + 8, 1024, 257);
  for (u64 i = 0; i < 1024; ++i) ASSERT_EQ(words[i], 2 * ((i + 8) % 257) % 257) << i;
}

TEST(HexlEltwise, IllegalArgumentsAreRefusedBeforeAnythingIsWritten) {
  const Words good(600, 5);
  Words bad = good, out(600, 7);
  bad[599] = 4 * 12289;
  const u64 n = good.size(), q = 12289;
  const auto refused = [&](std::string_view advice, auto call) {
    expect_refused(Code::invalid_argument, call, advice);
    EXPECT_EQ(out, Words(600, 7)) << advice;
  };
  refused("address", [&] { EltwiseAddMod(nullptr, good.data(), good.data(), n, q); });
  refused("address", [&] { EltwiseSubMod(out.data(), nullptr, good.data(), n, q); });
  refused("address", [&] { EltwiseMultMod(out.data(), good.data(), nullptr, n, q, 1); });
  refused("at least one", [&] { EltwiseAddMod(out.data(), good.data(), good.data(), 0, q); });
  refused("in this range", [&] { EltwiseAddMod(out.data(), good.data(), good.data(), n, 1); });
  refused("in this range", [&] { EltwiseSubMod(out.data(), good.data(), 5, n, u64{1} << 63); });
  refused("reduce it", [&] { EltwiseAddMod(out.data(), bad.data(), good.data(), n, q); });
  refused("reduce it", [&] { EltwiseSubMod(out.data(), good.data(), bad.data(), n, q); });
  refused("reduce it", [&] { EltwiseAddMod(out.data(), good.data(), q, n, q); });
  refused("reduce it", [&] { EltwiseMultMod(out.data(), bad.data(), good.data(), n, q, 4); });
  refused("reduce it", [&] { EltwiseMultMod(out.data(), good.data(), bad.data(), n, q, 2); });
  refused("1, 2, 4", [&] { EltwiseMultMod(out.data(), good.data(), good.data(), n, q, 8); });
  refused("in this range", [&] { EltwiseMultMod(out.data(), good.data(), good.data(), n, u64{1} << 61, 4); });
  refused("reduce it", [&] { EltwiseFMAMod(out.data(), good.data(), 8 * q, nullptr, n, q, 8); });
  refused("reduce it", [&] { EltwiseFMAMod(out.data(), good.data(), 1, bad.data(), n, q, 4); });
  refused("reduce it", [&] { EltwiseFMAMod(out.data(), bad.data(), 1, nullptr, n, q, 4); });
  refused("1, 2, 4, 8", [&] { EltwiseFMAMod(out.data(), good.data(), 1, nullptr, n, q, 3); });
  refused("in this range", [&] { EltwiseFMAMod(out.data(), good.data(), 1, nullptr, n, u64{1} << 61, 1); });
  refused("reduce it", [&] { EltwiseReduceMod(out.data(), bad.data(), n, q, 4, 1); });
  refused("1, 2, 4", [&] { EltwiseReduceMod(out.data(), good.data(), n, q, 8, 1); });
  refused("1, 2", [&] { EltwiseReduceMod(out.data(), good.data(), n, q, q, 4); });
  refused("above 1", [&] { EltwiseReduceMod(out.data(), good.data(), n, 1, 1, 1); });
  refused("above 0", [&] { EltwiseCmpAdd(out.data(), good.data(), n, CMPINT::EQ, 5, 0); });
  refused("CMPINT", [&] { EltwiseCmpAdd(out.data(), good.data(), n, static_cast<CMPINT>(9), 5, 1); });
  refused("in this range", [&] { EltwiseCmpSubMod(out.data(), good.data(), n, q, CMPINT::EQ, 5, q); });
  refused("above 1", [&] { EltwiseCmpSubMod(out.data(), good.data(), n, 0, CMPINT::EQ, 5, 1); });
}

}  // namespace
}  // namespace ringfort::testing
