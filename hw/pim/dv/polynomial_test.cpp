// SPDX-License-Identifier: Apache-2.0
// Tests the kernels automorphism (in both domains), decompose (digits of residues to the base of a gadget) and expand
// (seeds). hw/pim/README.md explains the terms.
#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expand_run.h"
#include "kernels/automorphism.h"
#include "kernels/decompose.h"
#include "support.h"
#include "sim/words.h"

namespace ringfort::pim::testing {
namespace {

u32 inverse_modulo_power_of_two(u32 k, u32 modulus) {
  u32 inverse = 1;
  while (inverse * k % modulus != 1) inverse += 2;
  return inverse;
}

class Automorphism : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("automorphism"), Timing{});
  }

  std::vector<u32> apply(AutomorphismDomain domain, u32 q, u32 log_n, u32 k, const std::vector<u32>& data) {
    const u32 bytes = static_cast<u32>(data.size()) * 4, n = 1u << log_n;
    run_->put(0, data);
    run_->set_arguments(AutomorphismArguments{static_cast<u32>(domain), q, log_n,
                                              domain == kValues ? k : inverse_modulo_power_of_two(k, 2 * n),
                                              static_cast<u32>(data.size()) >> log_n, 0, bytes});
    run_->launch();
    return run_->get(bytes, data.size());
  }

  std::optional<KernelRun> run_;
};

TEST_F(Automorphism, OfCoefficientsPutsXToTheKForX) {
  for (u32 log_n : {6u, 10u, 13u, 14u, 16u}) {
    const u32 n = 1u << log_n, q = prime_below(1u << 30, 1u << 16);
    auto a = random_words(2 * n, q, log_n);
    a[1] = 0, a[n - 1] = q - 1;
    for (u32 k : {1u, 3u, 5u, 2 * n - 1, n + 1}) {
      if (log_n > 13 && k != 5) continue;
      std::vector<u32> expected(2 * n);
      for (u32 i = 0; i < 2 * n; ++i) {
        const u64 power = u64{i % n} * k % (2 * n);
        expected[i / n * n + power % n] = power < n || a[i] == 0 ? a[i] : q - a[i];
      }
      ASSERT_EQ(apply(kCoefficients, q, log_n, k, a), expected) << "n=" << n << " k=" << k;
    }
  }
}

// The value of a(x^k) at a point is the value of a at the k-th power of the point.
TEST_F(Automorphism, OfValuesIsTheTransformOfThatOfCoefficients) {
  for (u32 log_n : {6u, 10u, 13u, 14u}) {
    const u32 n = 1u << log_n, q = prime_below(1u << 24, 1u << 16), root = minimal_root(q, n);
    const auto a = random_words(n, q, log_n);
    for (u32 k : {5u, 2 * n - 1}) {
      const auto coefficients = apply(kCoefficients, q, log_n, k, a);
      ASSERT_EQ(apply(kValues, q, log_n, k, negacyclic_transform(a, root, q)),
                negacyclic_transform(coefficients, root, q))
          << "n=" << n << " k=" << k;
    }
  }
}

TEST_F(Automorphism, AMillionCoefficientsComeBack) {
  const u32 q = prime_below(1u << 30, 1u << 16), log_n = 12, k = 5;
  for (auto domain : {kCoefficients, kValues}) {
    const auto a = random_words((all_counts() ? 256u : 32u) << log_n, q, 9);
    ASSERT_EQ(apply(domain, q, log_n, inverse_modulo_power_of_two(k, 2u << log_n), apply(domain, q, log_n, k, a)), a);
  }
}

class Decompose : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("decompose"), Timing{});
  }

  void check(const DecomposeArguments& wanted, const std::vector<u32>& x) {
    DecomposeArguments arguments = wanted;
    arguments.data = 0;
    arguments.out = static_cast<u32>(x.size()) * 4;
    run_->put(0, x);
    run_->set_arguments(arguments);
    run_->launch();
    const auto out = run_->get(arguments.out, x.size() * arguments.digits);
    for (u32 i = 0; i < x.size(); ++i) check_digits(arguments, x[i], out, i);
  }

  // Compares gadget digits with their definition, computed with 64-bit integers.
  void check_digits(const DecomposeArguments& g, u32 x, const std::vector<u32>& out, u32 index) {
    i64 y = g.centred != 0 && x > g.q / 2 ? i64{x} - g.q : x;
    if (g.centred != 0 && g.shift > 0) y += i64{1} << (g.shift - 1);
    y >>= g.shift;
    const i64 base = i64{1} << g.base_bits;
    for (u32 j = 0; j < g.digits; ++j) {
      i64 digit = y & (base - 1);
      if (g.centred != 0 && digit >= base / 2) digit -= base;
      if (g.centred != 0 && j + 1 == g.digits) digit = y;
      y = (y - digit) >> g.base_bits;
      const u32 at = (index / g.words * g.digits + j) * g.words + index % g.words;
      ASSERT_EQ(out[at], static_cast<u32>(digit < 0 ? digit + g.q : digit))
          << "q=" << g.q << " x=" << x << " base 2^" << g.base_bits << " shift " << g.shift << " digit " << j;
    }
  }

  std::optional<KernelRun> run_;
};

TEST_F(Decompose, DigitsFollowTheirDefinition) {
  for (u32 q :
       {65537u, prime_below(1u << 24, 1u << 16), prime_below(1u << 30, 1u << 16), prime_below(u64{1} << 31, 2)}) {
    auto x = random_words(2 * 258, q, q);
    const u32 edges[] = {0, 1, 2, 127, 128, 255, 256, q / 2, q / 2 + 1, q - 1, q - 2};
    std::copy(std::begin(edges), std::end(edges), x.begin());
    for (u32 bits : {1u, 4u, 7u, 8u, 16u, 23u, 31u}) {
      const u32 digits = (31 + bits) / bits;
      for (u32 shift : {0u, 1u, 5u, 31u, 32u}) {
        check({q, 258, 2, bits, digits, shift, 1, 0, 0}, x);
        check({q, 258, 2, bits, digits, shift, 0, 0, 0}, x);
      }
      check({q, 258, 2, bits, (digits + 1) / 2, 0, 1, 0, 0}, x);
    }
  }
}

TEST_F(Decompose, AMillionResidues) {
  const u32 q = prime_below(1u << 30, 1u << 16);
  check({q, 65536, 8, 10, 3, 0, 1, 0, 0}, random_words(8 * 65536, q, 1));
  check({q, 65536, 8, 10, 3, 0, 0, 0, 0}, random_words(8 * 65536, q, 2));
}

// An independent program (tools/gen_pim_vectors) computed the expected words.
TEST(Expand, MeetsVectorsOfTheStandard) {
  if (PIM_HAS_COMPILER == 0) GTEST_SKIP() << "DPU programs were not built";
  std::ifstream file(std::string(PIM_ROOT) + "/../../tests/vectors/uniform_u32.json");
  const auto data = nlohmann::json::parse(file);
  KernelRun run(kernel_path("expand"), {});
  for (const auto& known : data["cases"]) {
    Stream stream;
    const auto key = known["key_words"].get<std::vector<u32>>(), nonce = known["nonce_words"].get<std::vector<u32>>();
    std::copy(key.begin(), key.end(), stream.key.begin());
    std::copy(nonce.begin(), nonce.end(), stream.nonce.begin());
    const u32 q = known["q"], words = known["words"];
    const auto expected = known["polynomials"].get<std::vector<std::vector<u32>>>();
    std::vector<u32> out;
    run_expand(run, stream, q, words, static_cast<u32>(expected.size()), out);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      const std::vector<u32> polynomial(out.begin() + static_cast<std::ptrdiff_t>(p * words),
                                        out.begin() + static_cast<std::ptrdiff_t>((p + 1) * words));
      ASSERT_EQ(polynomial, expected[p]) << "q=" << q << " words=" << words << " polynomial " << p;
    }
  }
}

u32 rotated(u32 a, unsigned count) { return a << count | a >> (32 - count); }

// Computes a block of ChaCha20 as [RFC8439] defines it.
std::array<u32, 16> cipher_block(const Stream& stream, u32 counter) {
  std::array<u32, 16> first{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  std::copy(stream.key.begin(), stream.key.end(), first.begin() + 4);
  first[12] = counter;
  std::copy(stream.nonce.begin(), stream.nonce.end(), first.begin() + 13);
  auto s = first;
  for (unsigned round = 0; round < 80; ++round) {
    const unsigned i = round % 8, shift = i < 4 ? 0 : 1, column = i % 4;
    u32 &a = s[column], &b = s[4 + (column + shift) % 4], &c = s[8 + (column + 2 * shift) % 4],
        &d = s[12 + (column + 3 * shift) % 4];
    a += b, d = rotated(d ^ a, 16), c += d, b = rotated(b ^ c, 12);
    a += b, d = rotated(d ^ a, 8), c += d, b = rotated(b ^ c, 7);
  }
  for (unsigned i = 0; i < 16; ++i) s[i] += first[i];
  return s;
}

// With RINGFORT_COUNTS=full, the test has a million coefficients.
TEST(Expand, ManyCoefficientsAreRemaindersOfTheStream) {
  if (PIM_HAS_COMPILER == 0) GTEST_SKIP() << "DPU programs were not built";
  KernelRun run(kernel_path("expand"), {});
  const u32 words = all_counts() ? 1u << 20 : 1u << 15, q = prime_below(1u << 30, 1u << 16);
  const Stream stream{{1, 2, 3, 4, 0xffffffff, 6, 7, 8}, {1, 99, 0x00050003}};
  std::vector<u32> out;
  run_expand(run, stream, q, words, 1, out);
  for (u32 i = 0; i < words; i += 4) {
    const auto block = cipher_block(stream, i / 4);
    for (u32 j = 0; j < 4; ++j) {
      u64 rest = 0;
      for (u32 k = 4; k-- > 0;) rest = (rest << 32 | block[4 * j + k]) % q;
      ASSERT_EQ(out[i + j], rest) << "coefficient " << i + j;
    }
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
