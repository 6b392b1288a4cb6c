// SPDX-License-Identifier: Apache-2.0
// Tests the CKKS encoder, which converts values in slots to a polynomial with integer coefficients, and back. The
// encoder is compared with decimals of 60 digits, with plain sums, and bit for bit with the same steps on Python's
// doubles (tools/gen_ckks_vectors). Its rounding error is compared with the stated bound. Also tests its refusals.
#include "scheme/ckks/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

#include "ringfort/error.h"
#include "support/digest.h"
#include "support/vectors.h"

namespace ringfort::ckks::encode_test {
namespace {

using Complex = std::complex<double>;
using ringfort::testing::splitmix64;

double parse(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

i128 parse_signed(const std::string& text) {
  return text[0] == '-' ? -static_cast<i128>(ringfort::testing::parse_decimal(text.substr(1)))
                        : static_cast<i128>(ringfort::testing::parse_decimal(text));
}

class Numbers {  // draws doubles in [-1, 1)
 public:
  explicit Numbers(u64 state) : state_(state) {}
  double draw() {
    const u64 x = splitmix64(state_);
    state_ += 0x9E3779B97F4A7C15;  // the step of splitmix64
    return static_cast<double>(x >> 11) * 0x1p-52 - 1;
  }

 private:
  u64 state_;
};

std::vector<Complex> random_values(std::size_t count, u64 state) {
  Numbers numbers(state);
  std::vector<Complex> out(count);
  for (Complex& z : out) {
    const double re = numbers.draw();
    z = {re, numbers.draw()};
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

TEST(CkksEncoder, AgreesWithDecimalsWithinTheStatedError) {
  const auto rows = ringfort::testing::read_vectors("ckks_encode.json")["encode"];
  ASSERT_EQ(rows.size(), 36u);
  for (const auto& row : rows) {
    const SlotEncoder encoder(row["n"], row["slots"]);
    const double scale = parse(row["scale"]);
    std::vector<Complex> values;
    std::vector<double> reals;
    for (const auto& z : row["values"]) {
      values.emplace_back(parse(z[0]), parse(z[1]));
      reals.push_back(values.back().real());
    }
    std::vector<i128> out(encoder.n());
    const double largest =
        row["kind"] == "real" ? encoder.encode(reals, scale, out) : encoder.encode(values, scale, out);
    const double error = encode_error(encoder.slots(), largest, scale) - encode_error(encoder.slots(), 0, scale);
    for (u32 k = 0; k < encoder.n(); ++k) {
      const i128 expected = parse_signed(row["coefficients"][k]);
      // no coefficient is so close to a tie (k + 1/2) that this error could change its rounding
      const double allowed = error < 0.001 ? 0 : 1 + error;
      EXPECT_LE(std::abs(static_cast<double>(out[k] - expected)), allowed)
          << row["n"] << " " << row["slots"] << " " << k;
    }
  }
}

TEST(CkksEncoder, GivesTheBitsOfTheSameStepsInPython) {
  const auto rows = ringfort::testing::read_vectors("ckks_encode.json")["bits"];
  ASSERT_EQ(rows.size(), 2u);
  for (const auto& row : rows) {
    const u32 slots = row["slots"];
    const double scale = parse(row["scale"]);
    EXPECT_EQ(precision_for(slots, scale) == Precision::doubles, scale < 0x1p50)
        << "the vectors must use both precisions";
    const SlotEncoder encoder(2 * slots, slots);
    std::vector<i128> out(encoder.n());
    encoder.encode(random_values(slots, row["state"]), scale, out);
    EXPECT_EQ(ringfort::testing::blake2b_text(out), row["blake2b"].get<std::string>());
  }
}

TEST(CkksEncoder, RoundTripsWithinTheStatedErrorForAllSlotCounts) {
  for (u32 slots = 8; slots <= (1u << 16); slots *= 2) {
    const SlotEncoder encoder(2 * slots, slots);
    const std::vector<Complex> values = random_values(slots, slots);
    std::vector<i128> coefficients(encoder.n());
    std::vector<Complex> back(slots);
    for (const double scale : {0x1p20, 0x1p40, 0x1.2345p90}) {
      const double largest = encoder.encode(values, scale, coefficients);
      encoder.decode(coefficients, scale, back);
      double worst = 0;
      for (u32 j = 0; j < slots; ++j) worst = std::max(worst, std::abs(back[j] - values[j]));
      const double allowed = encode_error(slots, largest, scale) / scale + decode_error(slots, largest, scale);
      EXPECT_LE(worst, allowed) << slots << " " << scale;
      EXPECT_GT(worst, allowed * 0x1p-16) << "the stated error is too large, " << slots << " " << scale;
    }
  }
}

TEST(CkksEncoder, SlotsAreValuesAtRootsPermutedByPowersOfFive) {
  for (const u32 n : {8u, 1024u}) {
    const SlotEncoder encoder(n, n / 2);
    const std::vector<Complex> values = random_values(n / 2, n);
    std::vector<i128> coefficients(n);
    encoder.encode(values, 0x1p40, coefficients);
    u64 power = 1;
    for (u32 j = 0; j < n / 2; ++j, power = power * 5 % (2 * n)) {
      std::complex<long double> sum = 0;
      for (u32 k = 0; k < n; ++k) {
        const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(power * k % (2 * n)) / n;
        sum += static_cast<long double>(coefficients[k]) * std::polar(1.0L, angle);
      }
      EXPECT_LE(std::abs(Complex(sum) * 0x1p-40 - values[j]), encode_error(n / 2, 2, 0x1p40) * 0x1p-40 + 1e-14) << j;
    }
  }
}

TEST(CkksEncoder, FewSlotsAreRepeatedOverAllPlaces) {
  const SlotEncoder all(256, 128);
  for (const u32 slots : {1u, 2u, 16u, 64u}) {
    const SlotEncoder few(256, slots);
    const std::vector<Complex> values = random_values(slots, slots);
    std::vector<i128> coefficients(256, 1);  // the encoder must overwrite these ones
    few.encode(values, 0x1p50, coefficients);
    std::vector<Complex> shown(128);
    all.decode(coefficients, 0x1p50, shown);
    for (u32 j = 0; j < 128; ++j) EXPECT_LT(std::abs(shown[j] - values[j % slots]), 1e-12) << slots << " " << j;
  }
}

TEST(CkksEncoder, ProductsOfPolynomialsAreProductsOfSlots) {
  constexpr u32 kN = 64;
  const SlotEncoder encoder(kN, kN / 2);
  const std::vector<Complex> x = random_values(kN / 2, 1), y = random_values(kN / 2, 2);
  std::vector<i128> a(kN), b(kN), product(kN);
  encoder.encode(x, 0x1p40, a);
  encoder.encode(y, 0x1p40, b);
  for (u32 i = 0; i < kN; ++i) {
    for (u32 j = 0; j < kN; ++j) product[(i + j) % kN] += i + j < kN ? a[i] * b[j] : -a[i] * b[j];
  }
  std::vector<Complex> shown(kN / 2);
  encoder.decode(product, 0x1p80, shown);
  for (u32 j = 0; j < kN / 2; ++j) EXPECT_LT(std::abs(shown[j] - x[j] * y[j]), 1e-9) << j;
}

TEST(CkksEncoder, RoundsToNearestAndTiesToEven) {
  // With n = 8 and one slot, the transform has no stage. Coefficient 0 is the real part, and coefficient 4 is the
  // imaginary part.
  const SlotEncoder encoder(8, 1);
  const std::pair<double, i128> cases[] = {{0.5, 0},
                                           {1.5, 2},
                                           {2.5, 2},
                                           {-0.5, 0},
                                           {-1.5, -2},
                                           {-2.5, -2},
                                           {0.49999999999999994, 0},
                                           {2.5000000000000004, 3},
                                           {0x1p51 - 0.5, i128{1} << 51},
                                           {0x1p51 + 0.5, i128{1} << 51},
                                           {0x1p51 + 1.5, (i128{1} << 51) + 2},
                                           {-0x1p51 - 0.5, -(i128{1} << 51)},
                                           {-0x1p51 - 1.5, -(i128{1} << 51) - 2},
                                           {0x1p52 + 1, (i128{1} << 52) + 1},
                                           {-0x1.2p118, -(i128{9} << 115)},
                                           {5e-324, 0}};
  for (const auto& [value, expected] : cases) {
    std::vector<i128> out(8);
    encoder.encode(std::vector<Complex>{{value, -value}}, 1, out);
    EXPECT_TRUE(out[0] == expected && out[4] == -expected) << value;
  }
}

TEST(CkksEncoder, IntegersRoundToNearestAndTiesToEvenToo) {
  const SlotEncoder encoder(8, 1);
  const auto encode = [&](Complex value, double scale) {
    std::vector<i128> out(8);
    EXPECT_EQ(precision_for(1, scale), Precision::integers);
    encoder.encode(std::vector<Complex>{value}, scale, out);
    return std::pair(out[0], out[4]);
  };
  for (const double scale : {0x1p60, 0x1p90, 0x1p119}) {
    for (int odd = -99; odd < 100; odd += 2) {  // each odd / 2 is a tie
      const double value = odd / (2 * scale), above = std::nextafter(value, 1), below = std::nextafter(value, -1);
      const int down = (odd - 1) / 2, even = down % 2 == 0 ? down : down + 1;
      EXPECT_EQ(encode({value, -value}, scale), (std::pair<i128, i128>(even, -even))) << odd << " at " << scale;
      EXPECT_EQ(encode({above, below}, scale), (std::pair<i128, i128>(down + 1, down))) << odd << " at " << scale;
    }
  }
  EXPECT_EQ(encode({0x1.2p58, 5e-324}, 0x1p60), (std::pair<i128, i128>(i128{9} << 115, 0)));
  EXPECT_EQ(encode({5e-324, -1e-300}, 0x1p60), (std::pair<i128, i128>(0, 0)));
  EXPECT_EQ(encode({1, -1}, 0x1.fffffffffffffp117),
            (std::pair<i128, i128>(((i128{1} << 53) - 1) << 65, -(((i128{1} << 53) - 1) << 65))));
}

TEST(CkksEncoder, MissingValuesAreZero) {
  const SlotEncoder encoder(32, 16);
  std::vector<i128> coefficients(32);
  EXPECT_EQ(encoder.encode(std::vector<double>{}, 0x1p40, coefficients), 0);
  EXPECT_EQ(coefficients, std::vector<i128>(32));
  encoder.encode(std::vector<double>{3, -4}, 0x1p40, coefficients);
  std::vector<double> shown(16);
  encoder.decode(coefficients, 0x1p40, shown);
  for (u32 j = 0; j < 16; ++j) EXPECT_NEAR(shown[j], j == 0 ? 3 : j == 1 ? -4 : 0, 1e-10) << j;
}

TEST(CkksEncoder, ChecksGiveTheBoundOfTheEncoding) {
  const SlotEncoder encoder(16, 8);
  std::vector<i128> out(16);
  const std::vector<double> reals{1, -2.5};
  const std::vector<Complex> numbers{{1, -2.5}};
  EXPECT_EQ(encoder.check(reals, 0x1p40), encoder.encode(reals, 0x1p40, out));
  EXPECT_EQ(encoder.check(numbers, 0x1p90), encoder.encode(numbers, 0x1p90, out));
}

TEST(CkksEncoder, RefusesBeforeAnyWork) {
  const SlotEncoder encoder(16, 8);
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<i128> out(16, 42);
  const auto encode = [&](double value, double scale) {
    const std::vector<double> values{1, value};
    std::string problem = refusal([&] { encoder.encode(values, scale, out); });
    EXPECT_EQ(refusal([&] { (void)encoder.check(values, scale); }), problem);
    return problem;
  };
  for (const double value : {infinity, -infinity, nan}) {
    EXPECT_EQ(encode(value, 0x1p40), "the values hold NaN or infinity");
    EXPECT_EQ(refusal([&] { encoder.encode(std::vector<Complex>{{1, value}}, 0x1p40, out); }),
              "the values hold NaN or infinity");
  }
  for (const double scale : {0.0, -1.0, 0.5, 0x1p120, infinity, nan})
    EXPECT_NE(encode(1, scale).find("the scale"), std::string::npos) << scale;
  EXPECT_NE(encode(0x1p80, 0x1p40).find("exceed 2^119"), std::string::npos);
  EXPECT_NE(encode(1e308, 0x1p100).find("exceed 2^119"), std::string::npos);
  EXPECT_NE(refusal([&] { encoder.encode(std::vector<double>(9), 2, out); }).find("8 slots"), std::string::npos);
  EXPECT_EQ(out, std::vector<i128>(16, 42));
  EXPECT_NE(refusal([&] { encoder.encode(std::vector<double>(8), 2, std::span(out).first(8)); }), "");
  std::vector<double> values(9);
  EXPECT_NE(refusal([&] { encoder.decode(out, 2, values); }), "");
  EXPECT_NE(refusal([&] { encoder.decode(std::span<const i128>(out).first(8), 2, std::span(values).first(8)); }), "");
  EXPECT_NE(refusal([] { SlotEncoder(24, 8); }), "");
  EXPECT_NE(refusal([] { SlotEncoder(4, 2); }), "");
  EXPECT_NE(refusal([] { SlotEncoder(16, 16); }), "");
  EXPECT_NE(refusal([] { SlotEncoder(16, 0); }), "");
}

}  // namespace
}  // namespace ringfort::ckks::encode_test
