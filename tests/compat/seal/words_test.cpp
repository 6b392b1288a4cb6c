// SPDX-License-Identifier: Apache-2.0
// Tests the functions of seal/util that compute with words, with numbers of several words, and with iterators, against
// arithmetic of 128 bits and against the rules of numbers.
#include <gtest/gtest.h>

#include <array>
#include <istream>
#include <random>

#include "compat/seal/machine.h"
#include "seal/util/locks.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/streambuf.h"
#include "seal/util/uintarithmod.h"

namespace ringfort::testing::words_test {
namespace {

using namespace seal::util;
using seal::MemoryManager, seal::Modulus;
__extension__ using Wide = unsigned __int128;
using Number = std::array<std::uint64_t, 4>;

constexpr std::uint64_t kPrime60 = 1152921504606830593;  // 2^60 - 2^14 + 1
const std::vector<std::uint64_t> kModuli = {2, 3, 97, 65537, 4294967296, kPrime60, 2305843009213693951};

std::uint64_t low(Wide value) { return static_cast<std::uint64_t>(value); }

TEST(SealWords, ReductionsAndProductsAreThoseOf128Bits) {
  std::mt19937_64 random(1);
  for (const std::uint64_t q : kModuli) {
    const Modulus modulus(q);
    for (const std::uint64_t a : {std::uint64_t(0), q - 1, q, ~std::uint64_t(0), random()}) {
      for (const std::uint64_t b : {std::uint64_t(0), q - 1, ~std::uint64_t(0), random()}) {
        const std::uint64_t words[2] = {a, b};
        ASSERT_EQ(barrett_reduce_64(a, modulus), a % q);
        ASSERT_EQ(barrett_reduce_128(words, modulus), low((Wide(b) << 64 | a) % q));
        ASSERT_EQ(multiply_uint_mod(a, b, modulus), low(Wide(a) * b % q));
        ASSERT_EQ(multiply_add_uint_mod(a, b, a, modulus), low((Wide(a) * b + a) % q));
        MultiplyUIntModOperand operand{};
        operand.set(b % q, modulus);
        ASSERT_EQ(operand.quotient, low((Wide(b % q) << 64) / q));
        ASSERT_EQ(multiply_uint_mod(a, operand, modulus), low(Wide(a) * (b % q) % q));
        ASSERT_EQ(multiply_uint_mod_lazy(a, operand, modulus) % q, low(Wide(a) * (b % q) % q));
        ASSERT_LT(multiply_uint_mod_lazy(a, operand, modulus), 2 * q);
        ASSERT_EQ(add_uint_mod(a % q, b % q, modulus), low((Wide(a % q) + b % q) % q));
        ASSERT_EQ(sub_uint_mod(a % q, b % q, modulus), low((Wide(a % q) + q - b % q) % q));
        ASSERT_EQ(exponentiate_uint_mod(a, 3, modulus), low(Wide(low(Wide(a % q) * (a % q) % q)) * (a % q) % q));
      }
      ASSERT_EQ(negate_uint_mod(a % q, modulus), (q - a % q) % q);
      ASSERT_EQ(increment_uint_mod(a % q, modulus), (a % q + 1) % q);
      ASSERT_EQ(decrement_uint_mod(a % q, modulus), (a % q + q - 1) % q);
      std::uint64_t inverse = 0;
      const bool has_inverse = std::gcd(a % q, q) == 1;
      ASSERT_EQ(try_invert_uint_mod(a, modulus, inverse), has_inverse);
      if (has_inverse) { ASSERT_EQ(multiply_uint_mod(a, inverse, modulus), 1 % q); }
    }
  }
  EXPECT_EQ(multiply_uint_mod(div2_uint_mod(5, Modulus(97)), 2, Modulus(97)), 5u);
}

TEST(SealWords, LongNumbersObeyTheRulesOfNumbers) {
  std::mt19937_64 random(2);
  const auto draw = [&] { return Number{random(), random(), random(), random()}; };
  for (int round = 0; round < 20; ++round) {
    const Number a = draw(), b = draw();
    Number sum{}, back{};
    const unsigned char carry = add_uint(a.data(), b.data(), 4, sum.data());
    EXPECT_EQ(sub_uint(sum.data(), b.data(), 4, back.data()), carry);
    EXPECT_EQ(back, a);
    Number divisor = b, quotient{}, rest = a;
    divisor[3] = 0;
    divisor[2] >>= 60 - round;
    divide_uint_inplace(rest.data(), divisor.data(), 4, quotient.data());
    EXPECT_TRUE(is_less_than_uint(rest.data(), divisor.data(), 4));
    std::array<std::uint64_t, 8> product{};
    multiply_uint(quotient.data(), divisor.data(), 4, product.data());
    EXPECT_EQ(add_uint(product.data(), rest.data(), 4, product.data()), 0);
    EXPECT_TRUE(is_equal_uint(product.data(), a.data(), 4));
    Number modulus = {kPrime60, 0, 0, 0};
    rest = a;
    divide_uint_inplace(rest.data(), modulus.data(), 4, quotient.data());
    EXPECT_EQ(modulo_uint(a.data(), 4, Modulus(kPrime60)), rest[0]);
    for (const int shift : {0, 1, 63, 64, 65, 130, 191}) {
      Number shifted{};
      left_shift_uint(a.data(), shift, 4, shifted.data());
      right_shift_uint(shifted.data(), shift, 4, shifted.data());
      Number kept = a;  // without the highest bits
      for (int bit = 256 - shift; bit < 256; ++bit) kept[bit / 64] &= ~(std::uint64_t(1) << (bit % 64));
      EXPECT_EQ(shifted, kept) << shift;
    }
    Number half{}, twice{};
    half_round_up_uint(a.data(), 4, half.data());
    left_shift_uint(half.data(), 1, 4, twice.data());
    EXPECT_EQ(twice[0] - a[0], a[0] & 1);
    negate_uint(a.data(), 4, back.data());
    add_uint(back.data(), a.data(), 4, back.data());
    EXPECT_TRUE(is_zero_uint(back.data(), 4));
  }
}

TEST(SealWords, DivisionsByAWordAreThoseOf128Bits) {
  std::uint64_t numerator[3] = {5, 7, 1}, quotient[3] = {};
  divide_uint128_inplace(numerator, kPrime60, quotient);
  EXPECT_EQ(numerator[0], low((Wide(7) << 64 | 5) % kPrime60));
  EXPECT_EQ(quotient[0], low((Wide(7) << 64 | 5) / kPrime60));
  std::uint64_t zero = 0;
  EXPECT_THROW(divide_uint_inplace(numerator, &zero, 1, quotient), std::invalid_argument);
  EXPECT_THROW(divide_uint128_inplace(numerator, 0, quotient), std::invalid_argument);
}

TEST(SealWords, SumsModuloLongNumbersStayBelowThem) {
  const Number q = {1, 0, 0, std::uint64_t(1) << 63}, a = {0, 0, 0, std::uint64_t(1) << 63};
  Number sum{}, none{};
  add_uint_uint_mod(a.data(), a.data(), q.data(), 4, sum.data());
  EXPECT_EQ(sum, (Number{~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0), (std::uint64_t(1) << 63) - 1}));
  sub_uint_uint_mod(sum.data(), a.data(), q.data(), 4, sum.data());
  EXPECT_EQ(sum, a);
  negate_uint_mod(none.data(), q.data(), 4, sum.data());
  EXPECT_EQ(sum, none);
}

TEST(SealWords, PowersRootsAndTextOfNumbers) {
  EXPECT_EQ(exponentiate_uint(3, 40), 12157665459056928801u);
  EXPECT_EQ(exponentiate_uint_safe(2, 63), std::uint64_t(1) << 63);
  EXPECT_THROW((void)exponentiate_uint_safe(2, 64), std::logic_error);
  std::uint64_t root = 0;
  EXPECT_TRUE(try_minimal_primitive_root(16, 97, root));
  EXPECT_EQ(root, 8u);  // 8 has order 16 modulo 97; 2 .. 7 do not
  EXPECT_FALSE(try_minimal_primitive_root(64, 97, root));
  EXPECT_FALSE(try_minimal_primitive_root(16, 4294967296, root));
  const auto [divisor, a, b] = xgcd(240, 46);
  EXPECT_EQ(divisor, 2u);
  EXPECT_EQ(a * 240 + b * 46, 2);
  std::uint64_t words[2] = {};
  hex_string_to_uint("1FEDCBA9876543210", 17, 2, words);
  EXPECT_EQ(words[0], 0xFEDCBA9876543210u);
  EXPECT_EQ(words[1], 1u);
  EXPECT_THROW(hex_string_to_uint("10000000000000000", 17, 1, words), std::invalid_argument);
  EXPECT_THROW(hex_string_to_uint("G", 1, 1, words), std::invalid_argument);
  EXPECT_EQ(reverse_bits(std::uint64_t(6), 4), 6u);
  EXPECT_EQ(reverse_bits(std::uint32_t(1)), 0x80000000u);
  EXPECT_EQ(reverse_bits(std::uint64_t(1), 0), 0u);
}

TEST(SealWords, ADotProductIsTheSumOfItsProducts) {
  const std::vector<std::uint64_t> a(1000, kPrime60 - 1);
  EXPECT_EQ(dot_product_mod(a.data(), a.data(), a.size(), Modulus(kPrime60)), 1000u);  // (-1)^2, 1000 times
}

// Polynomials of two components, two primes and four coefficients.
struct Polynomials {
  std::vector<Modulus> primes = {97, 193};
  std::vector<std::uint64_t> a = {96, 1, 2, 3, 192, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, b = a, out = a;
  [[nodiscard]] ConstPolyIter first() const { return {a.data(), 4, 2}; }
  [[nodiscard]] ConstPolyIter second() const { return {b.data(), 4, 2}; }
  [[nodiscard]] PolyIter result() { return {out.data(), 4, 2}; }
  [[nodiscard]] std::uint64_t q(std::size_t i) const { return primes[i / 4 % 2].value(); }
};

TEST(SealWords, ArithmeticOfPolynomialsIsThatOfTheirCoefficients) {
  Polynomials p;
  const auto expect = [&](auto&& expected) {
    for (std::size_t i = 0; i < p.a.size(); ++i) ASSERT_EQ(p.out[i], expected(p.a[i], p.q(i)) % p.q(i)) << i;
  };
  add_poly_coeffmod(p.first(), p.second(), 2, p.primes, p.result());
  expect([](std::uint64_t x, std::uint64_t) { return 2 * x; });
  sub_poly_coeffmod(p.first(), p.second(), 2, p.primes, p.result());
  expect([](std::uint64_t, std::uint64_t) { return std::uint64_t(0); });
  negate_poly_coeffmod(p.first(), 2, p.primes, p.result());
  expect([](std::uint64_t x, std::uint64_t q) { return q - x; });
  dyadic_product_coeffmod(p.first(), p.second(), 2, p.primes, p.result());
  expect([](std::uint64_t x, std::uint64_t) { return x * x; });
  multiply_poly_scalar_coeffmod(p.first(), 2, 1000, p.primes, p.result());
  expect([](std::uint64_t x, std::uint64_t) { return 1000 * x; });
  for (std::size_t i = 0; i < 2; ++i) add_poly_scalar_coeffmod(p.first()[i], 2, 9, p.primes, p.result()[i]);
  expect([](std::uint64_t x, std::uint64_t) { return x + 9; });
  for (std::size_t i = 0; i < 2; ++i) sub_poly_scalar_coeffmod(p.first()[i], 2, 9, p.primes, p.result()[i]);
  expect([](std::uint64_t x, std::uint64_t q) { return x + q - 9; });
  modulo_poly_coeffs(std::vector<std::uint64_t>{97, 98, 99, 1000}, 4, p.primes[0], p.out);
  EXPECT_EQ(std::vector<std::uint64_t>(p.out.begin(), p.out.begin() + 4), (std::vector<std::uint64_t>{0, 1, 2, 30}));
}

TEST(SealWords, AShiftIsAProductWithAPowerOfX) {
  const std::vector<std::uint64_t> a = {1, 2, 3, 0};
  std::vector<std::uint64_t> out(4);
  negacyclic_shift_poly_coeffmod(a, 4, 2, Modulus(97), out);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{94, 0, 1, 2}));  // x^4 = -1
  negacyclic_shift_poly_coeffmod(a, 4, 5, Modulus(97), out);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{0, 96, 95, 94}));
}

TEST(SealWords, AProductWithAMonomialIsAShiftedMultiple) {
  Polynomials p;
  auto& pool = static_cast<MemoryPool&>(MemoryManager::GetPool());
  const std::vector<std::uint64_t> factors = {10, 20};  // one for each prime
  std::vector<std::uint64_t> shifted = p.a;
  negacyclic_multiply_poly_mono_coeffmod(p.first(), 2, ConstCoeffIter(factors), 3, p.primes, p.result(), pool);
  for (std::size_t i = 0; i < p.a.size(); ++i) {
    const std::uint64_t q = p.q(i), product = p.a[i] * factors[i / 4 % 2] % q;
    shifted[i / 4 * 4 + (i + 3) % 4] = i % 4 == 0 ? product : (q - product) % q;  // x^4 = -1
  }
  EXPECT_EQ(p.out, shifted);
  negacyclic_multiply_poly_mono_coeffmod(p.first(), 2, std::uint64_t(1), 0, p.primes, p.result(), pool);
  EXPECT_EQ(p.out, p.a);
  EXPECT_EQ(poly_infty_norm_coeffmod(std::vector<std::uint64_t>{96, 5, 60, 98}, 4, p.primes[0]), 37u);
}

TEST(SealWords, BitsOfNumbersAreReadAndChanged) {
  const std::uint64_t a[2] = {5, std::uint64_t(1) << 63}, b[2] = {3, 8};
  std::uint64_t out[2]{};
  const auto is = [&](std::uint64_t first, std::uint64_t second) { return out[0] == first && out[1] == second; };
  and_uint(a, b, 2, out);
  EXPECT_TRUE(is(1, 0));
  or_uint(a, b, 2, out);
  EXPECT_TRUE(is(7, a[1] | 8));
  xor_uint(a, b, 2, out);
  EXPECT_TRUE(is(6, a[1] | 8));
  not_uint(a, 2, out);
  EXPECT_TRUE(is(~std::uint64_t(5), ~a[1]));
  EXPECT_TRUE(is_bit_set_uint(a, 2, 2) && is_bit_set_uint(a, 2, 127) && !is_bit_set_uint(a, 2, 64));
  EXPECT_TRUE(is_high_bit_set_uint(a, 2) && !is_high_bit_set_uint(b, 2));
  set_uint(b, 2, out);
  set_bit_uint(out, 2, 70);
  EXPECT_TRUE(is(3, 8 + 64));
  filter_highbits_uint(out, 2, 128);
  filter_highbits_uint(out, 2, 70);
  EXPECT_TRUE(is(3, 8));
  filter_highbits_uint(out, 2, 1);
  EXPECT_TRUE(is(1, 0));
}

TEST(SealWords, SignedPowersOfTwoAndOrdersOfRoots) {
  EXPECT_EQ(naf(7), (std::vector<int>{-1, 8}));
  EXPECT_EQ(naf(-6), (std::vector<int>{2, -8}));
  EXPECT_TRUE(naf(0).empty());
  EXPECT_TRUE(is_primitive_root(33, 8, Modulus(97)));  // 33^4 = -1 modulo 97
  EXPECT_FALSE(is_primitive_root(33, 16, Modulus(97)) || is_primitive_root(33, 4, Modulus(97)));
  EXPECT_THROW((void)is_primitive_root(33, 6, Modulus(97)), std::invalid_argument);
}

TEST(SealWords, IteratorsWalkAlongPolynomialsPrimesAndCoefficients) {
  Polynomials p;
  std::vector<std::uint64_t> order;
  SEAL_ITERATE(iter(p.result(), std::size_t(0)), 2, [&](auto I) {
    SEAL_ITERATE(iter(std::get<0>(I), p.primes), 2, [&](auto J) {
      SEAL_ITERATE(std::get<0>(J), 4, [&](auto& word) {
        word += 1000 * (std::get<1>(I) + 1) + std::get<1>(J).value();
        order.push_back(word);
      });
    });
  });
  EXPECT_EQ(order, p.out);
  EXPECT_EQ(p.out[4], 192u + 1000 + 193);
  EXPECT_EQ(p.out[15], 15u + 2000 + 193);
  const PolyIter all = p.result();
  EXPECT_EQ((all + 1) - all, 1);
  EXPECT_LT(all, all + 1);
  EXPECT_EQ(***(all + 1), p.out[8]);
  EXPECT_EQ(all[1][1][2], p.out[14]);
  EXPECT_EQ(static_cast<std::uint64_t*>(all[1]), p.out.data() + 8);
  EXPECT_FALSE(RNSIter());
  EXPECT_EQ(2 + iter(std::size_t(3)), SeqIter<std::size_t>(5));
}

TEST(SealWords, TuplesOfIteratorsNestAndWalkBackwards) {
  Polynomials p;
  std::vector<std::uint64_t> pairs;
  SEAL_ITERATE(iter(p.first(), reverse_iter(p.second() + 1)), 2, [&](auto I) {
    SEAL_ITERATE(iter(I, p.primes), 2, [&](auto J) {
      pairs.push_back(*get<0, 0>(J));
      pairs.push_back(*get<0, 1>(J));
      pairs.push_back(get<1>(J).value());
    });
  });
  EXPECT_EQ(pairs, (std::vector<std::uint64_t>{96, 8, 97, 192, 12, 193, 8, 96, 97, 12, 192, 193}));
  StrideIter<const std::uint64_t*> rows(p.a.data(), 4);
  EXPECT_EQ(**(rows + 3), 12u);
  auto pool = MemoryManager::GetPool();
  SEAL_ALLOCATE_GET_RNS_ITER(memory, 4, 2, pool);
  set_poly(p.first()[1], 4, 2, memory);
  EXPECT_EQ(memory[1][3], 15u);
  SEAL_ALLOCATE_ZERO_GET_POLY_ITER(zeros, 3, 4, 2, pool);
  EXPECT_EQ(zeros[2][1][3], 0u);
}

TEST(SealWords, ALockLetsReadersOrOneWriterIn) {
  ReaderWriterLocker locker;
  const ReaderLock reader = locker.acquire_read();
  EXPECT_TRUE(locker.try_acquire_read().owns_lock());
  EXPECT_FALSE(locker.try_acquire_write().owns_lock());
}

TEST(SealWords, BuffersReadAndWriteTheProgramsMemory) {
  std::string text = "0123456789";
  ArrayPutBuffer put(text.data(), 4);
  std::ostream to(&put);
  to << "abcdef";
  EXPECT_TRUE(to.bad());
  EXPECT_EQ(text, "abcd456789");
  ArrayGetBuffer got(text.data(), 6);
  std::istream from(&got);
  std::string word;
  from.seekg(2) >> word;
  EXPECT_EQ(word, "cd45");
  EXPECT_TRUE(from.eof());
}

}  // namespace
}  // namespace ringfort::testing::words_test
