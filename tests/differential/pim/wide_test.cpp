// SPDX-License-Identifier: Apache-2.0
// Tests that every verb of `pim` (simulated DPUs, hw/pim/README.md) on words of 64 bits, except key switches and
// divisions (fused_test.cpp), equals `ref`, bit for bit. The tests use primes at the limits of the kernels, many
// patterns, degrees, limbs and batches, and ranks with disabled DPUs. The 32-bit kernels need primes below 2^30 that
// are 1 modulo 2^16. If a plan of 32-bit words has another prime, `pim` computes with the 64-bit kernels; the tests
// cover such plans too.
#include "differential/pim/verb_cases.h"

namespace ringfort::testing {
namespace {

using Pair64 = PairOn<u64>;
using Work64 = WorkOn<u64>;

// Returns primes at limits. For each length in the loop, these are the largest prime below 2^bits and, up to 60 bits,
// the smallest prime above 2^bits. The Montgomery radix of the kernels is 2^56 for primes below 2^54, and 2^64 for
// others.
std::vector<u128> limits_64(u32 n) {
  std::vector<u128> primes = {prime_above(2, n)};
  for (const u32 bits : {30u, 33u, 34u, 48u, 50u, 54u, 60u, 62u}) {
    primes.push_back(ntt_primes(bits, n, 1).value()[0]);
    if (bits < 62) primes.push_back(prime_above(bits, n));
  }
  return primes;
}

TEST(PimWide, EqualsRef_PrimesAtTheLimitsAndAllPatterns) {
  const TestDevice pim("pim"), ref("ref");
  for (const u128 q : limits_64(128)) {
    for (const Pattern pattern : kPatterns) {
      SCOPED_TRACE(label(pim, 128, q, pattern));
      const Pair64 on(pim, ref, {128, {q}, pattern == Pattern::random ? 2u : 1u, pattern});
      compare_element_verbs(on, {q});
      compare_polynomial_verbs(on, 128);
    }
  }
}

TEST(PimWide, EqualsRef_DegreesFrom64) {
  const TestDevice pim("pim"), ref("ref");
  for (u32 n = 64; n <= (all_counts() ? 65536u : 16384u); n *= 2) {
    const u128 q = ntt_primes(n % 3 == 1 ? 60 : 50, n, 1).value()[0];
    SCOPED_TRACE(label(pim, n, q, Pattern::random));
    const Pair64 on(pim, ref, {n, {q}});
    compare_polynomial_verbs(on, n);
    on.compare("multiply", [](Backend& k, const View& out, const View& a, const View& b) {
      return run_one(k, {}, verb::Multiply{out, a, b});
    });
  }
}

// The chain has primes below and above 2^54, where the kernels change their Montgomery radix. On a rank of 3 DPUs, it
// has more limbs than DPUs. Some ranks have disabled DPUs.
TEST(PimWide, EqualsRef_LimbsAndRaggedRanks) {
  const TestDevice ref("ref");
  std::vector<u128> chain = ntt_primes(60, 256, 3).value();
  for (const u128 q : ntt_primes(50, 256, 2).value()) chain.push_back(q);
  for (const char* name : {"pim", "pim:dpus=62", "pim:dpus=3", "pim:fidelity=full,dpus=6"}) {
    const TestDevice pim(name);
    ASSERT_TRUE(pim.opened()) << name;
    SCOPED_TRACE(name);
    const Pair64 on(pim, ref, {256, chain, 3});
    compare_element_verbs(on, chain);
    compare_polynomial_verbs(on, 256);
  }
}

TEST(PimWide, EqualsRef_AnyPrimesInWordsOf32Bits) {
  const TestDevice ref("ref");
  const std::vector<u128> chain = {ntt_primes(31, 256, 1).value()[0], short_prime_below(u64{1} << 30, 256),
                                   ntt_primes(20, 256, 1).value()[0], prime_above(2, 256)};
  for (const char* name : {"pim", "pim:dpus=3"}) {
    const TestDevice pim(name);
    for (const Pattern pattern : {Pattern::random, Pattern::largest}) {
      SCOPED_TRACE(label(pim, 256, chain[0], pattern));
      const Pair on(pim, ref, {256, chain, 3, pattern});
      compare_element_verbs(on, chain);
      compare_polynomial_verbs(on, 256);
      on.compare("base_convert", [](Backend& k, const View& out, const View& a, const View&) {
        return run_one(k, {}, verb::BaseConvert{out.in({1, 3}), a.in({0, 2}), Conversion::centred});
      });
    }
  }
}

// Two plans of 32-bit words use one buffer in turn. `pim` computes in 32 bits for the first plan. For the second plan
// it computes in 64 bits, because this plan has a longer prime.
TEST(PimWide, EqualsRef_ABufferOfTwoWidths) {
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const TestDevice on(oracle ? "ref" : "pim");
    const SharedPlan narrow = prepare(on, Word::u32, 64, {short_prime_below(u64{1} << 30, 64)}),
                     wide = prepare(on, Word::u32, 64, {ntt_primes(31, 64, 1).value()[0]});
    const Batch<u32> a(on, narrow.get(), 64, filled<u32>(Pattern::random, 256, u64{1} << 28, 1));
    View other = a.view();
    other.plan = wide.get();
    ASSERT_EQ(run_one(*on, {}, verb::Ntt{a.view()}), Status::ok);
    ASSERT_EQ(run_one(*on, {}, verb::Add{other.polynomials(0, 2), other.polynomials(0, 2), other.polynomials(2, 2)}),
              Status::ok);
    ASSERT_EQ(run_one(*on, {}, verb::Negate{a.view().polynomials(1, 1), a.view().polynomials(2, 1)}), Status::ok);
    ASSERT_EQ(run_one(*on, {}, verb::Intt{other.polynomials(3, 1)}), Status::ok);
    results[oracle] = a.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

// The largest residues give the largest sums.
TEST(PimWide, EqualsRef_ProductsOfMatricesAndTensors) {
  const TestDevice pim("pim"), ref("ref");
  const std::vector<u128> chain = {ntt_primes(62, 128, 1).value()[0], ntt_primes(50, 128, 1).value()[0]};
  for (const Pattern pattern : {Pattern::random, Pattern::largest}) {
    const Pair64 on(pim, ref, {128, chain, 18, pattern});
    for (const bool accumulate : {false, true}) {
      on.compare("inner_product 2x9x2", [&](Backend& k, const View& out, const View& a, const View& b) {
        return run_one(k, {}, verb::InnerProduct{out.polynomials(0, 4), a, b, 2, 9, 2, accumulate});
      });
    }
    on.compare("tensor of two pairs", [&](Backend& k, const View& out, const View& a, const View& b) {
      return run_one(k, {}, verb::Tensor{out.polynomials(0, 6), a.polynomials(0, 4), b.polynomials(0, 4)});
    });
  }
}

TEST(PimWide, EqualsRef_DigitsOfEveryShape) {
  const TestDevice pim("pim"), ref("ref");
  const std::vector<Gadget> gadgets = {{1, 62, 0, false}, {8, 8, 0, false},  {62, 3, 0, false}, {1, 59, 3, false},
                                       {15, 2, 50, true}, {24, 1, 58, true}, {8, 8, 0, true},   {1, 5, 1, true},
                                       {11, 3, 47, true}, {2, 64, 0, true},  {62, 1, 0, true},  {16, 9, 126, true},
                                       {10, 3, 0, true},  {31, 2, 63, true}, {31, 2, 64, true}, {31, 2, 65, false}};
  for (const u128 q : {ntt_primes(62, 64, 1).value()[0], ntt_primes(50, 64, 1).value()[0]}) {
    for (const Gadget& gadget : gadgets) {
      SCOPED_TRACE(text_of(q) + " bits " + std::to_string(gadget.base_bits) + " digits " +
                   std::to_string(gadget.digits) + " shift " + std::to_string(gadget.shift));
      std::vector<u64> values = filled<u64>(Pattern::random, 128, q, 9), results[2];
      values[0] = static_cast<u64>(q / 2), values[1] = static_cast<u64>(q / 2 + 1), values[2] = static_cast<u64>(q - 1),
      values[3] = 0;
      for (const bool oracle : {false, true}) {
        const TestDevice& on = oracle ? ref : pim;
        const SharedPlan plan = prepare(on, Word::u64, 64, {q});
        const Batch<u64> a(on, plan.get(), 64, values), out(on, plan.get(), 64, 1, 2 * gadget.digits);
        ASSERT_EQ(run_one(*on, {}, verb::Decompose{out.view(), a.view(), gadget}), Status::ok);
        results[oracle] = out.values();
      }
      ASSERT_EQ(results[0], results[1]);
    }
  }
}

// Limbs that `a` already has are copied. Some target limbs are before, some after, and some among the source limbs.
// A kernel adds a certain number of products before it reduces the sum. Some cases have more source limbs than that.
// Some have so many that a tasklet loads fewer words of each limb at a time.
TEST(PimWide, EqualsRef_BaseConversion) {
  const TestDevice ref("ref");
  std::vector<u128> chain = ntt_primes(62, 64, 4).value();
  for (const u32 bits : {50u, 33u, 30u}) {
    for (const u128 q : ntt_primes(bits, 64, bits == 50 ? 70 : 5).value()) chain.push_back(q);
  }
  const struct {
    Limbs from, to;
  } cases[] = {{{14, 70}, {0, 3}}, {{0, 80}, {80, 4}}, {{2, 40}, {0, 2}},  {{0, 1}, {1, 3}}, {{2, 3}, {0, 14}},
               {{0, 9}, {9, 5}},   {{9, 5}, {9, 5}},   {{74, 4}, {78, 1}}, {{4, 8}, {0, 4}}};
  for (const char* name : {"pim", "pim:dpus=4"}) {
    const TestDevice pim(name);
    const Work64 on(pim, {64, chain, 2}), oracle(ref, {64, chain, 2});
    for (const auto& c : cases) {
      for (const Conversion kind : {Conversion::approximate, Conversion::floor, Conversion::centred}) {
        SCOPED_TRACE(std::string(name) + " from " + std::to_string(c.from.first) + "+" + std::to_string(c.from.count) +
                     " to " + std::to_string(c.to.first));
        const Work64::Verb verb = [&](Backend& k, const View& out, const View& a, const View&) {
          return run_one(k, {}, verb::BaseConvert{out.in(c.to), a.in(c.from), kind});
        };
        ASSERT_EQ(on.outcome(verb), oracle.outcome(verb));
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::testing
