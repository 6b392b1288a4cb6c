// SPDX-License-Identifier: Apache-2.0
// Tests slots and batch encoding, which converts n integers modulo t to a polynomial that has them as its values at the
// n-th roots of -1. Both are compared with plain sums in Python (tools/gen_batch_vectors), and with the effect of
// automorphisms.
#include "ring/batch.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "math/prime.h"
#include "ring/slots.h"
#include "ringfort/error.h"
#include "support/vectors.h"

namespace ringfort::batch_test {
namespace {

std::vector<i64> random_values(u32 count, u64 t) {
  std::vector<i64> out(count);
  for (u32 i = 0; i < count; ++i) out[i] = static_cast<i64>(testing::splitmix64(i) % t) - static_cast<i64>(t / 2);
  return out;
}

// Returns the coefficients of m(x^g).
std::vector<i64> automorphed(const std::vector<i64>& m, u64 g) {
  const u64 n = m.size();
  std::vector<i64> out(n);
  for (u64 k = 0; k < n; ++k) {
    const u64 at = k * g % (2 * n);
    out[at % n] = at < n ? m[k] : -m[k];
  }
  return out;
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::invalid_argument);
    EXPECT_FALSE(e.fix().empty());
    return e.problem();
  }
  return {};
}

TEST(BatchEncoder, AgreesWithPlainSumsAndReturns) {
  const auto cases = testing::read_vectors("batch_encode.json")["cases"];
  ASSERT_EQ(cases.size(), 8u);
  for (const auto& row : cases) {
    const u64 t = row["t"];
    const BatchEncoder encoder(row["n"], t);
    std::vector<u64> values = row["values"];
    std::vector<i64> coefficients(encoder.n());
    encoder.encode(values, coefficients);
    EXPECT_EQ(coefficients, row["coefficients"].get<std::vector<i64>>()) << encoder.n() << " " << t;
    std::vector<i64> signed_values;
    for (const u64 v : values) signed_values.push_back(v > t / 2 ? static_cast<i64>(v - t) : static_cast<i64>(v));
    std::vector<i64> again(encoder.n());
    encoder.encode(signed_values, again);
    EXPECT_EQ(again, coefficients);

    std::vector<u64> shown(encoder.n());
    encoder.decode(automorphed(coefficients, 1), shown);
    values.resize(encoder.n());
    EXPECT_EQ(shown, values);
    std::vector<i64> shown_signed(signed_values.size());
    encoder.decode(automorphed(coefficients, 1), shown_signed);
    EXPECT_EQ(shown_signed, signed_values);
  }
}

TEST(BatchEncoder, EveryDegreeRoundTrips) {
  for (u32 n = 4; n <= (1u << 17); n *= 2) {
    const u64 t = n <= (1u << 15) ? 65537 : static_cast<u64>(ntt_primes(31, n, 1).take()[0]);
    const BatchEncoder encoder(n, t);
    const std::vector<i64> values = random_values(n, t);
    std::vector<i64> coefficients(n), shown(n);
    encoder.encode(values, coefficients);
    for (const i64 c : coefficients) ASSERT_LE(std::abs(c), static_cast<i64>(t / 2));
    encoder.decode(automorphed(coefficients, 1), shown);
    EXPECT_EQ(shown, values) << n;
  }
}

TEST(Slots, AutomorphismsRotateRowsAndSwapThem) {
  for (const u32 n : {4u, 16u, 256u}) {
    const BatchEncoder encoder(n, 65537);
    const std::vector<i64> values = random_values(n, 65537);
    std::vector<i64> coefficients(n), shown(n);
    encoder.encode(values, coefficients);
    const i64 row = n / 2;
    for (const i64 steps : {i64{0}, i64{1}, i64{-1}, row / 2, row - 1, 3 * row + 1, -5 * row - 3}) {
      encoder.decode(automorphed(coefficients, rotation_element(n, steps)), shown);
      for (i64 j = 0; j < row; ++j) {
        const i64 from = ((j + steps) % row + row) % row;
        ASSERT_EQ(shown[j], values[from]) << n << " by " << steps;
        ASSERT_EQ(shown[row + j], values[row + from]) << n << " by " << steps;
      }
    }
    encoder.decode(automorphed(coefficients, swap_rows_element(n)), shown);
    for (i64 j = 0; j < row; ++j) ASSERT_TRUE(shown[j] == values[row + j] && shown[row + j] == values[j]) << n;
  }
}

TEST(Slots, PositionsAreAPermutation) {
  for (u32 n = 4; n <= (1u << 17); n *= 2) {
    const std::vector<u32> positions = slot_positions(n);
    const std::set<u32> distinct(positions.begin(), positions.end());
    EXPECT_TRUE(positions.size() == n && distinct.size() == n && *distinct.rbegin() == n - 1) << n;
  }
}

TEST(BatchEncoder, RefusesWhatIsNoResidue) {
  const BatchEncoder encoder(16, 97);
  const std::vector<i64> zeros(16);
  std::vector<i64> out(16, 42);
  for (const i64 value : {i64{49}, i64{-49}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(refusal([&] { encoder.encode(std::vector<i64>{1, value}, out); }),
              "a value is outside -48 .. 48, the integers modulo t = 97");
    EXPECT_EQ(std::exchange(out, std::vector<i64>(16, 42)), zeros);
  }
  for (const u64 value : {u64{97}, UINT64_MAX}) {
    EXPECT_EQ(refusal([&] { encoder.encode(std::vector<u64>{1, value}, out); }),
              "a value is outside 0 .. 96, the integers modulo t = 97");
    EXPECT_EQ(std::exchange(out, std::vector<i64>(16, 42)), zeros);
  }
  EXPECT_NE(refusal([&] { encoder.encode(std::vector<u64>(17), out); }), "");
  EXPECT_EQ(out, std::vector<i64>(16, 42));
  EXPECT_NE(refusal([&] { encoder.encode(std::vector<u64>(16), std::span(out).first(8)); }), "");
  for (const i64 coefficient : {i64{49}, i64{-49}, INT64_MAX, INT64_MIN})
    EXPECT_NE(refusal([&] { encoder.decode(std::vector<i64>(16, coefficient), out); }), "");
  EXPECT_NE(refusal([&] { encoder.decode(std::vector<i64>(15), out); }), "");
  EXPECT_EQ(out, std::vector<i64>(16, 42));
  EXPECT_NE(refusal([] { BatchEncoder(16, 17); }), "");  // 17 is not 1 mod 32
  EXPECT_NE(refusal([] { BatchEncoder(16, 33); }), "");  // 33 is no prime
}

// At this degree, vector kernels check 16 values at once. The test puts one invalid value into each of their lanes in
// turn.
TEST(BatchEncoder, RefusesOneValueAnywhereAmongMany) {
  const u32 n = 512;
  const i64 half = 12289 / 2;
  const BatchEncoder encoder(n, 12289);
  const std::vector<i64> zeros(n);
  std::vector<i64> out(n, 42), inside(n, half);
  for (u32 i = 1; i < n; i += 2) inside[i] = -half;
  const std::vector<u64> top(n, 12288);
  for (u32 i = 0; i < n; ++i) {
    std::vector<i64> values = inside;
    std::vector<u64> residues = top;
    for (const i64 value : {half + 1, -half - 1, (i64{1} << 32) - 1, i64{1} << 32, -(i64{1} << 32), -(i64{1} << 32) - 1,
                            INT64_MIN, INT64_MAX}) {
      values[i] = value;
      ASSERT_NE(refusal([&] { encoder.encode(values, out); }), "") << i << " " << value;
      ASSERT_EQ(std::exchange(out, std::vector<i64>(n, 42)), zeros);
      ASSERT_NE(refusal([&] { encoder.decode(values, out); }), "") << i << " " << value;
      ASSERT_EQ(out, std::vector<i64>(n, 42));
    }
    for (const u64 value : {u64{12289}, u64{1} << 32, u64{1} << 63, UINT64_MAX}) {
      residues[i] = value;
      ASSERT_NE(refusal([&] { encoder.encode(residues, out); }), "") << i << " " << value;
      ASSERT_EQ(std::exchange(out, std::vector<i64>(n, 42)), zeros);
    }
  }
  encoder.encode(inside, out);
  std::vector<i64> shown(n);
  encoder.decode(out, shown);
  EXPECT_EQ(shown, inside);
}

// The last of n values is zero. The test encodes the first n - 1 values, and then all n values. The results must be
// equal, both in scalar code and in vector code.
TEST(BatchEncoder, FewerValuesEncodeLikeZerosAndDecodeLikeTheFirst) {
  for (const u32 n : {128u, 512u, 2048u, 16384u}) {
    const BatchEncoder encoder(n, 65537);
    std::vector<i64> values = random_values(n, 65537), part(n), whole(n), shown(n), first(n - 1);
    values.back() = 0;
    encoder.encode(std::span<const i64>(values).first(n - 1), part);
    encoder.encode(values, whole);
    ASSERT_EQ(part, whole) << n;
    encoder.decode(whole, shown);
    encoder.decode(whole, first);
    EXPECT_EQ(shown, values) << n;
    EXPECT_EQ(first, std::vector<i64>(values.begin(), values.end() - 1)) << n;
    std::vector<u64> residues(n), shown_residues(n);
    for (u32 i = 0; i < n; ++i) residues[i] = static_cast<u64>(values[i] < 0 ? values[i] + 65537 : values[i]);
    encoder.encode(residues, part);
    encoder.decode(part, shown_residues);
    EXPECT_EQ(part, whole) << n;
    EXPECT_EQ(shown_residues, residues) << n;
  }
}

}  // namespace
}  // namespace ringfort::batch_test
