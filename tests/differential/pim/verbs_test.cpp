// SPDX-License-Identifier: Apache-2.0
// Tests that every verb of `pim` (simulated DPUs, hw/pim/README.md) on words of 32 bits, except key switches and
// divisions (fused_test.cpp), equals `ref`, bit for bit. The tests use primes at the limits of the kernels, many
// patterns, degrees, limbs and batches, and ranks with disabled DPUs.
#include "differential/pim/verb_cases.h"

namespace ringfort::testing {
namespace {

TEST(PimVerbs, EqualRef_PrimesAtTheLimitsAndAllPatterns) {
  const TestDevice pim("pim"), ref("ref");
  for (const u128 q : limits(128)) {
    for (const Pattern pattern : kPatterns) {
      SCOPED_TRACE(label(pim, 128, q, pattern));
      const Pair on(pim, ref, {128, {q}, pattern == Pattern::random ? 2u : 1u, pattern});
      compare_element_verbs(on, {q});
      compare_polynomial_verbs(on, 128);
    }
  }
}

TEST(PimVerbs, EqualRef_DegreesFrom64) {
  const TestDevice pim("pim"), ref("ref");
  for (u32 n = 64; n <= (all_counts() ? 65536u : 16384u); n *= 2) {
    const u128 q = short_prime_below(u64{1} << (n % 3 == 1 ? 30 : 24), n);
    SCOPED_TRACE(label(pim, n, q, Pattern::random));
    const Pair on(pim, ref, {n, {q}});
    compare_polynomial_verbs(on, n);
    on.compare("multiply", [](Backend& k, const View& out, const View& a, const View& b) {
      return run_one(k, {}, verb::Multiply{out, a, b});
    });
  }
}

// The chain has primes of both widths, and more limbs than a rank has DPUs. Some ranks have disabled DPUs.
TEST(PimVerbs, EqualRef_LimbsAndRaggedRanks) {
  const TestDevice ref("ref");
  std::vector<u128> chain = short_primes(u64{1} << 30, 256, 5);
  for (const u128 q : short_primes(u64{1} << 24, 256, 2)) chain.push_back(q);
  for (const char* name :
       {"pim", "pim:dpus=62", "pim:dpus=3", "pim:dpus=1,profile=prim-2021", "pim:fidelity=full,dpus=8"}) {
    const TestDevice pim(name);
    ASSERT_TRUE(pim.opened()) << name;
    SCOPED_TRACE(name);
    const Pair on(pim, ref, {256, chain, 3});
    compare_element_verbs(on, chain);
    compare_polynomial_verbs(on, 256);
  }
}

TEST(PimVerbs, EqualRef_ProductsOfMatricesAndTensors) {
  const TestDevice pim("pim"), ref("ref");
  const std::vector<u128> chain = {short_prime_below(u64{1} << 30, 128), short_prime_below(u64{1} << 24, 128)};
  const Pair on(pim, ref, {128, chain, 18});
  for (const bool accumulate : {false, true}) {
    on.compare("inner_product 2x9x2", [&](Backend& k, const View& out, const View& a, const View& b) {
      return run_one(k, {}, verb::InnerProduct{out.polynomials(0, 4), a, b, 2, 9, 2, accumulate});
    });
  }
  on.compare("tensor of two pairs", [&](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::Tensor{out.polynomials(0, 6), a.polynomials(0, 4), b.polynomials(0, 4)});
  });
}

TEST(PimVerbs, EqualRef_DigitsOfEveryShape) {
  const TestDevice pim("pim"), ref("ref");
  const std::vector<Gadget> gadgets = {{1, 30, 0, false}, {8, 4, 0, false},  {62, 3, 0, false}, {1, 27, 3, false},
                                       {15, 2, 20, true}, {24, 1, 26, true}, {8, 4, 0, true},   {1, 5, 1, true},
                                       {11, 3, 17, true}, {2, 64, 0, true},  {62, 1, 0, true},  {16, 9, 126, true},
                                       {10, 3, 0, true},  {31, 2, 33, false}};
  for (const u128 q : {short_prime_below(u64{1} << 30, 64), short_prime_below(u64{1} << 24, 64)}) {
    for (const Gadget& gadget : gadgets) {
      SCOPED_TRACE(text_of(q) + " bits " + std::to_string(gadget.base_bits) + " digits " +
                   std::to_string(gadget.digits) + " shift " + std::to_string(gadget.shift));
      std::vector<u32> values = filled<u32>(Pattern::random, 128, q, 9), results[2];
      values[0] = static_cast<u32>(q / 2), values[1] = static_cast<u32>(q / 2 + 1), values[2] = static_cast<u32>(q - 1),
      values[3] = 0;
      for (const bool oracle : {false, true}) {
        const TestDevice& on = oracle ? ref : pim;
        const SharedPlan plan = prepare(on, Word::u32, 64, {q});
        const Batch<u32> a(on, plan.get(), 64, values), out(on, plan.get(), 64, 1, 2 * gadget.digits);
        ASSERT_EQ(run_one(*on, {}, verb::Decompose{out.view(), a.view(), gadget}), Status::ok);
        results[oracle] = out.values();
      }
      ASSERT_EQ(results[0], results[1]);
    }
  }
}

// Limbs that `a` already has are copied. Some target limbs are before, some after, and some among the source limbs.
// There is one source limb more than a DPU multiplies at once.
TEST(PimVerbs, EqualRef_BaseConversion) {
  const TestDevice ref("ref");
  std::vector<u128> chain = short_primes(u64{1} << 30, 64, 9);
  for (const u128 q : short_primes(u64{1} << 24, 64, 5)) chain.push_back(q);
  for (const u128 q : short_primes(u64{1} << 29, 64, 70)) chain.push_back(q);
  const struct {
    Limbs from, to;
  } cases[] = {{{14, 70}, {0, 3}}, {{0, 84}, {82, 2}}, {{2, 40}, {0, 2}}, {{0, 1}, {1, 3}}, {{2, 3}, {0, 14}},
               {{0, 9}, {9, 5}},   {{9, 5}, {9, 5}},   {{9, 4}, {13, 1}}, {{4, 8}, {0, 4}}};
  for (const char* name : {"pim", "pim:dpus=4"}) {
    const TestDevice pim(name);
    const Work on(pim, {64, chain, 2}), oracle(ref, {64, chain, 2});
    for (const auto& c : cases) {
      for (const Conversion kind : {Conversion::approximate, Conversion::floor, Conversion::centred}) {
        SCOPED_TRACE(std::string(name) + " from " + std::to_string(c.from.first) + "+" + std::to_string(c.from.count) +
                     " to " + std::to_string(c.to.first));
        const Work::Verb verb = [&](Backend& k, const View& out, const View& a, const View&) {
          return run_one(k, {}, verb::BaseConvert{out.in(c.to), a.in(c.from), kind});
        };
        ASSERT_EQ(on.outcome(verb), oracle.outcome(verb));
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::testing
