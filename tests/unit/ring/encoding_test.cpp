// SPDX-License-Identifier: Apache-2.0
// Compares the vector kernels of the encoders with plain loops, on every instruction set of the machine. Encoders
// convert values in slots to polynomials, and back. Kernels and loops must give the same bits for many lengths, and for
// values at the ends of their ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "math/conversions.h"
#include "base/buffer.h"
#include "ring/encoding/chosen.h"
#include "ring/slots.h"
#include "support/vectors.h"

namespace ringfort::encoding_test {
namespace {

using encoding::Kernels;
using testing::splitmix64;

struct Named {
  std::string set;
  const Kernels* kernels;
};

// Returns the tables of kernels that this machine can run. Some instruction sets have no table.
std::vector<Named> usable() {
  std::vector<Named> out;
  for (const Isa isa : {Isa::avx2, Isa::avx512})
    if (isa <= machine_isa() && encoding::kernels_of(isa).lanes != 0)
      out.push_back({std::string(isa_name(isa)), &encoding::kernels_of(isa)});
  return out;
}

double random_double(u64 i) { return std::ldexp(static_cast<double>(splitmix64(i) >> 11), -52) - 1; }

struct Complexes {
  std::vector<double> re, im;
  explicit Complexes(std::size_t size, u64 seed) : re(size), im(size) {
    for (std::size_t i = 0; i < size; ++i) re[i] = random_double(seed + 2 * i), im[i] = random_double(seed + 2 * i + 1);
  }
  bool operator==(const Complexes& o) const {
    const auto same = [](double a, double b) { return std::bit_cast<u64>(a) == std::bit_cast<u64>(b); };
    return std::ranges::equal(re, o.re, same) && std::ranges::equal(im, o.im, same);
  }
};

// The complex transforms of the CKKS encoder in radix 2, stage by stage. `volatile` prevents the compiler from fusing a
// product and a sum, which would change the rounding.
void to_slots(Complexes& v, const Complexes& roots) {
  for (std::size_t h = 1; h < v.re.size(); h *= 2) {
    for (std::size_t at = 0; at < v.re.size(); at += 2 * h) {
      for (std::size_t a = at, w = h; w < 2 * h; ++a, ++w) {
        const std::size_t b = a + h;
        const volatile double rr = v.re[b] * roots.re[w], ii = v.im[b] * roots.im[w], ri = v.re[b] * roots.im[w],
                              ir = v.im[b] * roots.re[w];
        const double re = rr - ii, im = ri + ir;
        v.re[b] = v.re[a] - re, v.im[b] = v.im[a] - im;
        v.re[a] += re, v.im[a] += im;
      }
    }
  }
}
void from_slots(Complexes& v, const Complexes& roots) {
  for (std::size_t h = v.re.size() / 2; h >= 1; h /= 2) {
    for (std::size_t at = 0; at < v.re.size(); at += 2 * h) {
      for (std::size_t a = at, w = h; w < 2 * h; ++a, ++w) {
        const std::size_t b = a + h;
        const double re = v.re[a] - v.re[b], im = v.im[a] - v.im[b];
        v.re[a] += v.re[b], v.im[a] += v.im[b];
        const volatile double rr = re * roots.re[w], ii = im * roots.im[w], ir = im * roots.re[w],
                              ri = re * roots.im[w];
        v.re[b] = rr + ii, v.im[b] = ir - ri;
      }
    }
  }
}

TEST(EncodingKernels, TransformLikeStagesOfRadix2) {
  for (const auto& [set, kernels] : usable()) {
    for (std::size_t slots = encoding::kLeastSlots; slots <= 65536; slots *= 2) {
      const Complexes values(slots, slots);
      Complexes roots(slots, 7 * slots);
      roots.re[slots / 2] = -0.0;  // the sign of a zero must be right too
      const encoding::Roots w{roots.re.data(), roots.im.data()};
      Complexes expected = values, got = values;
      to_slots(expected, roots);
      kernels->to_slots({got.re.data(), got.im.data()}, w, slots);
      ASSERT_TRUE(got == expected) << set << " " << slots;
      from_slots(expected, roots);
      kernels->from_slots({got.re.data(), got.im.data()}, w, slots);
      ASSERT_TRUE(got == expected) << set << " " << slots;
    }
  }
}

// Returns values of random sizes from 2^-131 to 2^126. Among them are halves, the neighbours of halves, and zeros of
// both signs.
std::vector<double> values_to_round(std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const u64 random = splitmix64(i);
    const double sign = (random & 1) != 0 ? -1 : 1, half = std::floor(random_double(i) * 1e6) + 0.5;
    const double size = std::ldexp(1 + random_double(i + count) / 2, static_cast<int>(random >> 8 & 255) - 130);
    const double choices[] = {size, half, std::nextafter(half, 0), std::nextafter(half, 1e9), 0.0, 0.5, 0x1.fffffp125};
    out[i] = sign * choices[(random >> 16) % 7];
  }
  return out;
}

std::vector<i128> rounded_in_reversed_order(const std::vector<double>& values, double factor) {
  std::vector<i128> out(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    std::size_t k = 0;
    for (std::size_t bit = 1; bit < values.size(); bit *= 2) k = 2 * k | (at / bit & 1);
    out[k] = to_nearest(values[at] * factor);
  }
  return out;
}

TEST(EncodingKernels, RoundLikeToNearestInReversedOrder) {
  for (std::size_t count = encoding::kLeastSlots; count <= 65536; count *= 2) {
    const std::vector<double> values = values_to_round(count);
    for (const double factor : {1.0, 0.25, 0.7}) {
      const std::vector<i128> expected = rounded_in_reversed_order(values, factor);
      for (const auto& [set, kernels] : usable()) {
        std::vector<i128> out(count);
        kernels->round_reversed(values.data(), factor, out.data(), count);
        ASSERT_TRUE(out == expected) << set << " " << count << " " << factor;
      }
    }
  }
}

TEST(EncodingKernels, FindAWordThatIsNotBelowTheModulusInEveryLane) {
  const auto check = [](const std::string& set, auto above, auto q) {
    using W = decltype(q);
    std::vector<W> words(67, static_cast<W>(q - 1));
    constexpr unsigned kHighest = 8 * sizeof(W) - 1;
    EXPECT_EQ(above(words.data(), words.size(), q) >> kHighest, 0u) << set;
    for (W& word : words) {
      for (const W wrong : {q, static_cast<W>(q + 1), static_cast<W>(W{1} << kHighest), static_cast<W>(~W{0})}) {
        word = wrong;
        EXPECT_EQ(above(words.data(), words.size(), q) >> kHighest, 1u) << set << " " << wrong;
      }
      word = 0;
    }
  };
  for (const auto& [set, kernels] : usable()) {
    for (const u32 q : {3u, 65537u, (u32{1} << 31) - 1}) check(set, kernels->above32, q);
    for (const u64 q : {u64{3}, u64{65537}, (u64{1} << 62) - 57}) check(set, kernels->above64, q);
  }
}

TEST(EncodingKernels, AddAndSubtractModuloEveryLengthOfModulus) {
  for (const auto& [set, kernels] : usable()) {
    for (const u64 q : {u64{2}, u64{3}, u64{65537}, (u64{1} << 62) - 57, (u64{1} << 63) - 1}) {
      std::vector<u64> a(67), b(67), sum(67);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = splitmix64(i) % q, b[i] = splitmix64(i + 100) % q;
      a[0] = b[0] = a[1] = b[65] = b[66] = q - 1, a[2] = b[2] = b[1] = a[65] = a[66] = 0;
      kernels->add64(sum.data(), a.data(), b.data(), a.size(), q);
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(sum[i], add_mod(a[i], b[i], q)) << set << " " << q;
      kernels->subtract64(sum.data(), sum.data(), b.data(), a.size(), q);
      ASSERT_EQ(sum, a) << set << " " << q;
    }
  }
}

TEST(EncodingKernels, ReduceAndCentreAtTheEndsOfTheRange) {
  const std::size_t count = 64;
  for (const auto& [set, kernels] : usable()) {
    for (const u32 t : {17u, 65537u, (u32{1} << 31) - 1}) {
      const i64 half = t / 2;
      std::vector<i64> integers(count), again(count);
      for (std::size_t i = 0; i < count; ++i) integers[i] = static_cast<i64>(splitmix64(i) % t) - half;
      integers[0] = half, integers[1] = -half, integers[2] = 0, integers[63] = -1;
      std::vector<u32> words(count);
      EXPECT_EQ(kernels->reduce(integers.data(), words.data(), count, t, t / 2) >> 63, 0u) << set;
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(words[i], integers[i] < 0 ? integers[i] + t : integers[i]) << set << " " << t;
      kernels->centre(words.data(), again.data(), count, t);
      EXPECT_EQ(again, integers) << set << " " << t;
    }
  }
}

TEST(EncodingKernels, FindAnIntegerOutsideTheRangeInEveryLane) {
  const std::size_t count = 64;
  for (const auto& [set, kernels] : usable()) {
    for (std::size_t at = 0; at < 5 * count; ++at) {
      const i64 wrong[] = {32769, -32769, i64{1} << 32, INT64_MIN, INT64_MAX};
      std::vector<i64> integers(count, 32768);
      std::vector<u32> words(count);
      EXPECT_EQ(kernels->reduce(integers.data(), words.data(), count, 65537, 32768) >> 63, 0u) << set;
      integers[at / 5] = wrong[at % 5];
      EXPECT_EQ(kernels->reduce(integers.data(), words.data(), count, 65537, 32768) >> 63, 1u) << set << " " << at;
    }
  }
}

// n integers that begin `distance` words after the start of a cache line, and the words that they give: residues in the
// order of the transform.
struct Slots {
  static constexpr u32 kT = 65537, kHalf = kT / 2, kGuard = 16;
  const Kernels& kernels;
  u32 n;
  SlotLineTables lines;
  std::vector<u32> words, expected;
  AlignedBuffer<i64> memory;
  i64* values;

  Slots(const Kernels& of, u32 degree, std::size_t distance)
      : kernels(of),
        n(degree),
        lines(slot_lines(slot_positions(degree), of.lanes)),
        words(degree),
        expected(degree),
        memory(degree + kGuard),
        values(memory.data() + distance) {
    const std::vector<u32> positions = slot_positions(n);
    for (u32 i = 0; i < n; ++i) {
      values[i] = static_cast<i64>(splitmix64(i + distance) % kT) - kHalf;
      expected[positions[i]] = static_cast<u32>(values[i] < 0 ? values[i] + kT : values[i]);
    }
  }
  [[nodiscard]] encoding::SlotLines view() const { return {lines.line.data(), lines.from.data(), lines.to.data()}; }
  [[nodiscard]] bool scatter() {  // returns true if the kernel finds all values in range
    return kernels.scatter(values, words.data(), view(), n, kT, kHalf) >> 63 == 0;
  }
  [[nodiscard]] bool finds(u32 wrong) {
    const i64 kept = std::exchange(values[wrong], kHalf + 1);
    const bool found = !scatter();
    values[wrong] = kept;
    return found;
  }
  // Tells whether the inverse kernel writes the original integers, and nothing around them.
  [[nodiscard]] bool gathers_the_same() {
    const std::vector<i64> scattered(values, values + n);
    std::fill(memory.data(), memory.data() + n + kGuard, i64{kHalf + 1});
    kernels.gather(words.data(), values, view(), n, kT, kT);
    const auto written = n + kGuard - std::count(memory.data(), memory.data() + n + kGuard, i64{kHalf + 1});
    return written == n && std::equal(scattered.begin(), scattered.end(), values);
  }
};

// The kernel works on tiles that begin where a cache line of the values begins. Therefore every distance from a cache
// line is tried.
TEST(EncodingKernels, ScatterAndGatherAtEveryDistanceFromACacheLine) {
  for (const auto& [set, kernels] : usable()) {
    for (u32 i = 0; i < 8 * 5; ++i) {
      const u32 n = 2 * kernels->lanes * kernels->lanes << i / 8;
      SCOPED_TRACE(set + ", n = " + std::to_string(n) + ", distance " + std::to_string(i % 8));
      Slots slots(*kernels, n, i % 8);
      EXPECT_TRUE(slots.scatter());
      EXPECT_EQ(slots.words, slots.expected);
      EXPECT_TRUE(slots.gathers_the_same());
      for (const u32 wrong : {0u, 7u, n / 2 - 1, n / 2, n - 1}) EXPECT_TRUE(slots.finds(wrong)) << wrong;
    }
  }
}

// A conversion of residues modulo several primes to residues modulo t, and its expected result, computed in arithmetic
// of two words. The source moduli are odd and have 62, 50 and 31 bits. Some residues and some weights are the largest
// possible ones.
struct Conversion {
  static constexpr std::size_t kLength = 16;
  std::vector<encoding::PlainWeight> weights;
  std::vector<u64> residues;
  encoding::PlainModulus modulus;

  Conversion(u64 t, std::size_t count) : residues(count * kLength) {
    const u64 power32 = (u64{1} << 32) % t;
    modulus = {t, static_cast<u64>((u128{1} << 64) / t), power32, power32 * power32 % t, t - 1};
    for (std::size_t i = 0; i < count; ++i) {
      const u32 bits = std::array{62, 50, 31}[i % 3];
      const u64 q = (u64{1} << bits) - 1 - 2 * (splitmix64(i) % 1000), value = i % 2 == 0 ? t - 1 : splitmix64(i) % t;
      weights.push_back({value, value * power32 % t, static_cast<u64>((u128{1} << (63 + bits)) / q), 64 - bits});
      for (std::size_t j = 0; j < kLength; ++j) residues[i * kLength + j] = j == 0 ? q - 1 : splitmix64(i + j * j) % q;
    }
  }
  [[nodiscard]] std::vector<u64> expected() const {
    std::vector<u64> out(kLength);
    for (std::size_t j = 0; j < kLength; ++j) {
      u64 fraction = u64{1} << 55, sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const u64 r = residues[i * kLength + j];
        fraction += static_cast<u64>(u128{r << weights[i].shift} * weights[i].fraction >> 64) >> 7;
        sum = (sum + static_cast<u64>(u128{r} * weights[i].value % modulus.value)) % modulus.value;
      }
      out[j] = ((fraction >> 56) * modulus.whole + sum) % modulus.value;
    }
    return out;
  }
};

TEST(EncodingKernels, ConvertToOneModulusLikeIntegersOfTwoWords) {
  for (const u64 t : {u64{2}, u64{17}, u64{65536}, u64{65537}, (u64{1} << 31) - 1}) {
    for (const std::size_t count : {1, 3, 128}) {
      const Conversion c(t, count);
      for (const auto& [set, kernels] : usable()) {
        std::vector<u64> out(Conversion::kLength);
        kernels->convert_to_plain(c.residues.data(), out.data(), out.size(), c.weights.data(), count, c.modulus);
        ASSERT_EQ(out, c.expected()) << set << " " << t << " " << count;
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::encoding_test
