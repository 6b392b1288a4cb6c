// SPDX-License-Identifier: Apache-2.0
// Tests the public class Ntt: number-theoretic transforms, products of polynomials, and refusals. The products are
// compared with schoolbook sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "math/word.h"
#include "ringfort/device.h"
#include "ringfort/error.h"
#include "ringfort/ring.h"

namespace ringfort {
namespace {

template <class F>
Code code_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_FALSE(e.fix().empty()) << e.what();
    return e.code();
  }
  return Code::internal;
}

template <class W>
std::vector<W> random_words(std::size_t count, W q, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<W> words(count);
  for (W& w : words) w = static_cast<W>((uint128{generator()} << 64 | generator()) % q);
  return words;
}

template <class W>
std::vector<W> schoolbook(const std::vector<W>& a, const std::vector<W>& b, W q) {
  const std::size_t n = a.size();
  std::vector<W> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const W product = mul_mod<W>(a[i], b[j], q);
      W& to = out[(i + j) % n];
      to = i + j < n ? add_mod<W>(to, product, q) : subtract_mod<W>(to, product, q);
    }
  }
  return out;
}

template <class W>
void expect_products_and_round_trips(WordWidth width, unsigned bits) {
  for (const std::uint32_t n : {2u, 8u, 64u}) {
    const W q = static_cast<W>(primes(bits, n, 1)[0]);
    const Ntt ntt(n, q, width);
    const auto a = random_words<W>(3 * n, q, n), b = random_words<W>(3 * n, q, n + 1);
    std::vector<W> transformed(a.size()), back(a.size()), product(a.size());
    ntt.forward<W>(a, transformed);
    ntt.inverse<W>(transformed, back, 2);
    EXPECT_EQ(back, a) << "n=" << n << " bits=" << bits;
    ntt.multiply<W>(a, b, product, 2);
    for (std::size_t p = 0; p < 3; ++p) {
      const auto polynomial = [&](const std::vector<W>& v) {
        return std::vector<W>(v.begin() + p * n, v.begin() + (p + 1) * n);
      };
      EXPECT_EQ(polynomial(product), schoolbook(polynomial(a), polynomial(b), q))
          << "n=" << n << " bits=" << bits << " polynomial=" << p;
    }
  }
}

TEST(Ntt, ProductIsSchoolbookProduct_32BitWords) {
  expect_products_and_round_trips<std::uint32_t>(WordWidth::bits32, 31);
}
TEST(Ntt, ProductIsSchoolbookProduct_64BitWords) {
  expect_products_and_round_trips<std::uint64_t>(WordWidth::bits64, 50);
}
TEST(Ntt, ProductIsSchoolbookProduct_WidestModulusOf64BitWords) {
  expect_products_and_round_trips<std::uint64_t>(WordWidth::bits64, 62);
}
TEST(Ntt, ProductIsSchoolbookProduct_128BitWords) {
  if (is_gpu(default_device())) GTEST_SKIP() << "the device refuses words of 128 bits";
  for (const unsigned bits : {126u, 127u}) expect_products_and_round_trips<uint128>(WordWidth::bits128, bits);
}

TEST(Ntt, TransformOfXIsThePowersOfPsiInBitReversedOrder) {
  const Ntt ntt(4, 17);
  EXPECT_EQ(ntt.psi(), 2u);  // n = 4 and 2^4 = -1 mod 17; 1 is no such root
  const std::vector<std::uint64_t> x = {0, 1, 0, 0};
  std::vector<std::uint64_t> transformed(4);
  ntt.forward<std::uint64_t>(x, transformed);
  EXPECT_EQ(transformed, (std::vector<std::uint64_t>{2, 15, 8, 9}));  // the values at psi^1, psi^5, psi^3 and psi^7
}

TEST(Ntt, InputAndOutputMayBeTheSameWords) {
  const std::uint64_t q = static_cast<std::uint64_t>(primes(50, 1024, 1)[0]);
  const Ntt ntt(1024, q);
  auto a = random_words<std::uint64_t>(40 * 1024, q, 5);
  std::vector<std::uint64_t> transformed(a.size());
  ntt.forward<std::uint64_t>(a, transformed);
  ntt.forward<std::uint64_t>(a, a);
  EXPECT_EQ(a, transformed);
}

// If the caller's words begin at the start of a cache line, transforms work in these words. If not, they work in device
// memory.
TEST(Ntt, EveryAlignmentGivesTheSameWordsAndTouchesNoOthers) {
  constexpr std::uint32_t n = 256, count = 3 * n, line = 16;
  const auto q = static_cast<std::uint32_t>(primes(30, n, 1)[0]);
  const Ntt ntt(n, q, WordWidth::bits32);
  const auto words = random_words<std::uint32_t>(count, q, 7);
  std::vector<std::uint32_t> transformed(count), product(count);
  ntt.forward<std::uint32_t>(words, transformed);
  ntt.multiply<std::uint32_t>(words, transformed, product);
  for (std::uint32_t first = 0; first < line; ++first) {
    std::vector<std::uint32_t> memory(count + line, q);
    const std::span<std::uint32_t> out = std::span(memory).subspan(first, count);
    const auto expect = [&](const std::vector<std::uint32_t>& expected) {
      EXPECT_TRUE(std::ranges::equal(out, expected)) << first;
      EXPECT_EQ(std::ranges::count(memory, q), line) << first;
    };
    ntt.forward<std::uint32_t>(words, out, 2);
    expect(transformed);
    ntt.inverse<std::uint32_t>(out, out);
    expect(words);
    ntt.multiply<std::uint32_t>(words, transformed, out, 2);
    expect(product);
    std::ranges::copy(words, out.begin());
    ntt.multiply<std::uint32_t>(out, transformed, out);
    expect(product);
    std::ranges::copy(transformed, out.begin());
    ntt.multiply<std::uint32_t>(words, out, out);
    expect(product);
    ntt.multiply<std::uint32_t>(words, words, out);
    const std::vector<std::uint32_t> square(out.begin(), out.end());
    std::ranges::copy(words, out.begin());
    ntt.multiply<std::uint32_t>(out, out, out);
    expect(square);
  }
}

// If an output overlapped a part of an input, it would overwrite polynomials before they are read.
TEST(Ntt, OutputsThatOverlapAPartOfAnInputAreRefused) {
  const std::uint64_t q = static_cast<std::uint64_t>(primes(50, 1024, 1)[0]);
  const Ntt ntt(1024, q);
  const std::size_t size = 80 * 1024;
  const auto words = random_words<std::uint64_t>(size + 1024, q, 6);
  using In = std::span<const std::uint64_t>;
  for (const std::size_t shift : {1u, 1023u, 1024u}) {
    auto shared = words;
    const std::span<std::uint64_t> all(shared), low = all.first(size), high = all.subspan(shift, size);
    EXPECT_EQ(code_of([&] { ntt.forward<std::uint64_t>(low, high); }), Code::invalid_argument) << shift;
    EXPECT_EQ(code_of([&] { ntt.inverse<std::uint64_t>(high, low); }), Code::invalid_argument) << shift;
    EXPECT_EQ(code_of([&] { ntt.multiply<std::uint64_t>(low, low, high); }), Code::invalid_argument) << shift;
    EXPECT_EQ(code_of([&] { ntt.multiply<std::uint64_t>(low, high, low); }), Code::invalid_argument) << shift;
    EXPECT_EQ(shared, words) << shift;
  }
  std::vector<std::uint64_t> square(size), left(words.begin(), words.begin() + size), right = left, both = left;
  ntt.multiply<std::uint64_t>(left, right, square);
  ntt.multiply<std::uint64_t>(left, right, left);
  ntt.multiply<std::uint64_t>(both, right, right);
  ntt.multiply<std::uint64_t>(both, both, both);
  EXPECT_EQ(left, square);
  EXPECT_EQ(right, square);
  EXPECT_EQ(both, square);
  std::vector<std::uint64_t> two(2 * size);  // input and output are neighbours, and do not overlap
  std::copy(words.begin(), words.begin() + size, two.begin());
  ntt.forward<std::uint64_t>(In(two).first(size), std::span(two).subspan(size));
  std::vector<std::uint64_t> expected(size);
  ntt.forward<std::uint64_t>(In(words).first(size), expected);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), two.begin() + size));
}

// Every word that is not below q must be refused, for any position of its highest bit.
template <class W>
void expect_words_below_modulus(WordWidth width, unsigned bits) {
  const W q = static_cast<W>(primes(bits, 8, 1)[0]), top = W(1) << (8 * sizeof(W) - 1);
  const Ntt ntt(8, q, width);
  std::vector<W> words(8, static_cast<W>(q - 1)), out(8);
  ntt.forward<W>(words, out);
  for (const W word :
       {q, static_cast<W>(q + 1), static_cast<W>(2 * q - 1), static_cast<W>(top - 1), top, static_cast<W>(top + 1),
        static_cast<W>(top + q - 1), static_cast<W>(top + q), static_cast<W>(W(0) - q), static_cast<W>(W(0) - 1)}) {
    for (const std::size_t at : {0u, 3u, 7u}) {
      std::vector<W> wrong = words;
      wrong[at] = word;
      EXPECT_EQ(code_of([&] { ntt.forward<W>(wrong, out); }), Code::invalid_argument) << bits << " bits, at " << at;
      EXPECT_EQ(code_of([&] { ntt.multiply<W>(words, wrong, out); }), Code::invalid_argument) << bits << " bits";
    }
  }
}
TEST(Ntt, RefusesWordsThatAreNotBelowTheModulus) {
  for (const unsigned bits : {5u, 30u, 31u}) expect_words_below_modulus<std::uint32_t>(WordWidth::bits32, bits);
  for (const unsigned bits : {5u, 50u, 62u}) expect_words_below_modulus<std::uint64_t>(WordWidth::bits64, bits);
}

TEST(Ntt, RefusesParametersThatDefineNoRing) {
  EXPECT_EQ(code_of([] { Ntt(12, 97); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(1, 17); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(1u << 18, 17); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(8, 16 * 5 + 1); }), Code::invalid_argument);  // 81 = 3^4 is no prime
  EXPECT_EQ(code_of([] { Ntt(8, 19); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(8, 1); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(8, 0); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { Ntt(8, primes(40, 8, 1)[0], WordWidth::bits32); }), Code::unsupported);
  EXPECT_EQ(code_of([] { Ntt(8, primes(63, 8, 1)[0]); }), Code::unsupported);
  EXPECT_EQ(code_of([] { Ntt(8, 17, WordWidth::bits64, "tpu"); }), Code::device_unknown);
}

TEST(Primes, AreToldFromOtherNumbers) {
  const auto top = ~std::uint64_t{0};
  for (const uint128 value : {uint128{2}, uint128{97}, uint128{top - 58}, (uint128{1} << 127) - 1}) {
    EXPECT_TRUE(is_prime(value)) << static_cast<std::uint64_t>(value);
  }
  // A Carmichael number, a strong pseudoprime to the bases 2 .. 23, and products of two primes.
  for (const uint128 value : {uint128{0}, uint128{1}, uint128{561}, uint128{3825123056546413051u}, uint128{top},
                              uint128{top - 58} * (top - 58), uint128{4294967291u} * 4294967279u}) {
    EXPECT_FALSE(is_prime(value)) << static_cast<std::uint64_t>(value);
  }
  const std::vector<uint128> found = primes(50, 1024, 3);
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), is_prime));
}

TEST(Ntt, RefusesWordsThatAreNotReducedAndLeavesTheOutputAlone) {
  const Ntt ntt(8, 97);
  std::vector<std::uint64_t> in(16, 96), out(16, 7);
  in[15] = 97;
  EXPECT_EQ(code_of([&] { ntt.forward<std::uint64_t>(in, out); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { ntt.multiply<std::uint64_t>(out, in, out); }), Code::invalid_argument);
  EXPECT_EQ(out, std::vector<std::uint64_t>(16, 7));
  std::vector<std::uint64_t> odd(12);
  EXPECT_EQ(code_of([&] { ntt.forward<std::uint64_t>(odd, odd); }), Code::invalid_argument);
  std::vector<std::uint32_t> narrow(8);
  EXPECT_EQ(code_of([&] { ntt.forward<std::uint32_t>(narrow, narrow); }), Code::invalid_argument);
}

}  // namespace
}  // namespace ringfort
