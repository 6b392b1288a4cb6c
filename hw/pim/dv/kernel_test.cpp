// SPDX-License-Identifier: Apache-2.0
// Tests the kernel elementwise: compares its results with plain remainders. The tests cover every verb, primes of 17 to
// 31 bits, all pairs of edge values, a million random coefficients per verb (except kMultiplyByte), lengths with a
// short last block, and different moduli on different DPUs. hw/pim/README.md explains the terms.
#include <optional>

#include "kernel_run.h"
#include "reference.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

constexpr u64 kTwo16 = 1u << 16;

struct VerbCase {
  const char* name;
  ElementwiseVerb verb;
  unsigned radix_bits;  // log2 of the Montgomery factor, or 0 if the verb has no product
  u64 (*rule)(u64 a, u64 b, u64 c, u64 scalar, u64 q);
};

// The tests compare plain products. Therefore the operands of the kernel are a and b * 2^radix_bits.
const VerbCase kVerbs[] = {
    {"add", kAdd, 0, [](u64 a, u64 b, u64, u64, u64 q) { return (a + b) % q; }},
    {"sub", kSub, 0, [](u64 a, u64 b, u64, u64, u64 q) { return (a + q - b) % q; }},
    {"negate", kNegate, 0, [](u64 a, u64, u64, u64, u64 q) { return (q - a) % q; }},
    {"multiply 30", kMultiply30, 32, [](u64 a, u64 b, u64, u64, u64 q) { return product_mod(a, b, q); }},
    {"multiply 24", kMultiply24, 24, [](u64 a, u64 b, u64, u64, u64 q) { return product_mod(a, b, q); }},
    {"multiply and add 30", kMultiplyAdd30, 32,
     [](u64 a, u64 b, u64 c, u64, u64 q) { return (c + product_mod(a, b, q)) % q; }},
    {"multiply and add 24", kMultiplyAdd24, 24,
     [](u64 a, u64 b, u64 c, u64, u64 q) { return (c + product_mod(a, b, q)) % q; }},
    {"multiply by scalar 30", kMultiplyScalar30, 32,
     [](u64 a, u64, u64, u64 s, u64 q) { return product_mod(a, s, q); }},
    {"multiply by scalar 24", kMultiplyScalar24, 24,
     [](u64 a, u64, u64, u64 s, u64 q) { return product_mod(a, s, q); }},
};

std::vector<u32> primes_for(unsigned radix_bits) {
  std::vector<u32> primes{65537, prime_below(1u << 24, kTwo16), prime_below(1u << 20, kTwo16)};
  if (radix_bits == 24) return primes;
  for (unsigned bits : {28u, 29u, 30u}) primes.push_back(prime_below(u64{1} << bits, kTwo16));
  if (radix_bits == 0) primes.push_back(prime_below(u64{1} << 31, 2));
  return primes;
}

struct Operands {
  std::vector<u32> a, b, c;
};

u32 times_radix(u32 a, unsigned radix_bits, u32 q) {
  return radix_bits == 0 ? a : static_cast<u32>(product_mod(a, u64{1} << radix_bits, q));
}

class Kernels : public DpuTest {
 protected:
  void check(const VerbCase& which, u32 q, const Operands& x, u32 scalar) {
    const u32 words = static_cast<u32>(x.a.size()), bytes = words * 4;
    run_->put(0, x.a);
    std::vector<u32> b = x.b;
    for (auto& word : b) word = times_radix(word, which.radix_bits, q);
    run_->put(bytes, b);
    run_->put(2 * bytes, x.c);
    run_->put(3 * bytes, std::vector<u32>(words + 2, 0xdeadbeef));
    run_->set_arguments(ElementwiseArguments{static_cast<u32>(which.verb), q, words,
                                             times_radix(scalar, which.radix_bits, q), 0, bytes, 2 * bytes, 3 * bytes,
                                             0, 0});
    run_->launch();
    const auto out = run_->get(3 * bytes, words + 2);
    for (u32 i = 0; i < words; ++i) {
      const u64 expected = which.rule(x.a[i], x.b[i], x.c[i], scalar, q);
      ASSERT_EQ(out[i], expected) << which.name << " q=" << q << " a=" << x.a[i] << " b=" << x.b[i] << " c=" << x.c[i]
                                  << " s=" << scalar << " words=" << words;
    }
    ASSERT_EQ(out[words], 0xdeadbeefu) << which.name << " wrote beyond its " << words << " words";
    ASSERT_EQ(out[words + 1], 0xdeadbeefu);
  }

  static Operands random_operands(u32 words, u32 q, u64 seed) {
    Words random(seed);
    Operands x{std::vector<u32>(words), std::vector<u32>(words), std::vector<u32>(words)};
    for (u32 i = 0; i < words; ++i) x.a[i] = random.below(q), x.b[i] = random.below(q), x.c[i] = random.below(q);
    return x;
  }

  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("elementwise"), Timing{});
  }

  std::optional<KernelRun> run_;
};

TEST_F(Kernels, AgreeOnEdgeValuesInAllPairs) {
  for (const auto& which : kVerbs) {
    for (u32 q : primes_for(which.radix_bits)) {
      const std::vector<u32> edges{0, 1, 2, 255, 256, 65535, q / 2, q / 2 + 1, q - 65536, q - 2, q - 1};
      Operands x;
      for (u32 a : edges) {
        for (u32 b : edges) x.a.push_back(a), x.b.push_back(b), x.c.push_back(edges[(a ^ b) % edges.size()]);
      }
      x.a.push_back(0), x.b.push_back(0), x.c.push_back(0);
      for (u32 scalar : {0u, 1u, q / 3, q - 1}) check(which, q, x, scalar);
    }
  }
}

TEST_F(Kernels, AgreeOnAMillionRandomCoefficientsEach) {
  constexpr u32 kWords = 200000;
  for (const auto& which : kVerbs) {
    const auto primes = primes_for(which.radix_bits);
    for (u32 round = 0; round < 5; ++round) {
      const u32 q = primes[round % primes.size()];
      check(which, q, random_operands(kWords, q, 100 * round + static_cast<u32>(which.verb)), q / 7 + round);
    }
  }
}

// Tests every byte as the scalar, on edge values and random coefficients.
TEST_F(Kernels, MultiplyByEveryByte) {
  for (unsigned bits : {17u, 20u, 24u, 28u, 29u, 30u}) {
    const u32 q = prime_below(u64{1} << bits, kTwo16);
    auto a = random_operands(1024, q, bits).a;
    const u32 edges[] = {0, 1, 2, 255, 256, 65535, q / 2, q - 1, q - 2, q / 255, q / 255 + 1, q - 65536};
    std::copy(std::begin(edges), std::end(edges), a.begin());
    run_->put(0, a);
    for (u32 scalar = 0; scalar < 256; ++scalar) {
      run_->set_arguments(with_byte_quotient({kMultiplyByte, q, 1024, scalar, 0, 0, 0, 4096, 0, 0}));
      run_->launch();
      const auto out = run_->get(4096, a.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(out[i], product_mod(a[i], scalar, q)) << "q=" << q << " a=" << a[i] << " s=" << scalar;
    }
  }
}

TEST_F(Kernels, LeaveWhatIsBeyondAShortVector) {
  for (const auto& which : kVerbs) {
    for (u32 words : {2u, 4u, 10u, 254u, 256u, 258u, 4096u + 6, 8190u})
      check(which, 65537, random_operands(words, 65537, words), 3);
  }
}

TEST_F(Kernels, EachDpuHasItsOwnModulus) {
  KernelRun other(kernel_path("elementwise"), {});
  const u32 q = prime_below(1u << 30, kTwo16), r = prime_below(1u << 29, kTwo16);
  const std::vector<u32> a(64, r - 1), b(64, 2);
  for (KernelRun* run : {&*run_, &other}) {
    run->put(0, a);
    run->put(256, b);
    run->set_arguments(ElementwiseArguments{kAdd, run == &*run_ ? q : r, 64, 0, 0, 256, 0, 512, 0, 0});
  }
  run_->launch();
  other.launch();
  EXPECT_EQ(run_->get(512, 64), std::vector<u32>(64, r + 1));
  EXPECT_EQ(other.get(512, 64), std::vector<u32>(64, 1));
}

}  // namespace
}  // namespace ringfort::pim::testing
