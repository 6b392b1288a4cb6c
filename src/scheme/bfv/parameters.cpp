// SPDX-License-Identifier: Apache-2.0
// Chooses BFV parameters for a depth and a plain modulus: the smallest Q (product of the data primes) that keeps the
// noise (noise.h) of the promised circuit below 1/2. The circuit encrypts under the public key. Then it performs
// `depth` steps. Each step multiplies two operands with equal noise and relinearizes, always modulo the whole Q. At the
// end, the circuit adds four of the products.
#include <algorithm>
#include <cmath>

#include "rlwe/integers/parameters.h"
#include "scheme/bfv/noise.h"
#include "scheme/bfv/policy.h"

namespace ringfort::bfv {

namespace {

constexpr double kSumBits = 2;
constexpr double kMargin = 1.0 / 16;
constexpr u32 kPrimeBits = 50;  // the longest primes that the fastest kernels support

// Returns the noise budgets of sums of four results after 0, 1, 2 .. products. A noise budget is log2 of 1/2 divided by
// the noise. The list ends after `most` products, or before the first budget that is not positive.
std::vector<double> budgets(const ChainSizes& sizes, u64 plain_modulus, u32 most) {
  const NoiseGrowth bound(sizes.n, plain_modulus);
  const double log2_q = sizes.log2_q(sizes.levels() - 1);
  const Bound switching = bound.relative(sizes.key_switch(bound.embedding(), sizes.levels() - 1), log2_q);
  Bound noise = bound.fresh(bound.embedding().fresh_public(), log2_q);
  std::vector<double> out;
  while (noise.log2 + kSumBits < NoiseGrowth::kLargest && out.size() <= most) {
    out.push_back(NoiseGrowth::kLargest - kSumBits - noise.log2);
    noise = bound.product({noise}, {noise}, log2_q) + switching;
  }
  return out;
}

ChainSizes chain_of(const Requirements& r, u32 n, u32 log2_q) {
  const u32 bits = r.primes.bits == 0 ? kPrimeBits : r.primes.bits;
  const u32 count = (log2_q + bits - 1) / bits;
  const double length = r.primes.bits == 0 ? std::ceil(static_cast<double>(log2_q) / count) : bits;
  return {.n = n, .data = std::vector<double>(count, length), .special = {}};
}

std::optional<ChainSizes> shortest_chain(const Requirements& r, u32 n, u32 depth, double spare) {
  if (r.slots > n) return std::nullopt;
  const auto enough = [&](u32 log2_q) {
    ChainSizes sizes = chain_of(r, n, log2_q);
    (void)choose_digits(sizes, std::numeric_limits<double>::infinity());
    const std::vector<double> found = budgets(sizes, r.plain_modulus, depth);
    return found.size() > depth && found[depth] > kMargin * static_cast<double>(sizes.data.size()) + spare;
  };
  u32 low = 20, high = 24000;  // bits of Q
  if (!enough(high)) return std::nullopt;
  while (low + 1 < high) {
    const u32 middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return chain_of(r, n, high);
}

IntegerSearch search_for(const Requirements& r) {
  return {[r](u32 n, u32 depth, double spare) { return shortest_chain(r, n, depth, spare); },
          [](const ChainSizes& sizes, u64 t) { return budgets(sizes, t, kDeepest); }};
}

}  // namespace

Parameters choose(const Requirements& r) {
  const ChainParameters chain = choose_integers(r, r.plain_modulus, search_for(r));
  const SchemeNeeds needs = integers::Policy<Scheme>::needs(chain, r.plain_modulus);  // throws without enough primes
  check_count(chain.data.size() + chain.special.size() + needs.auxiliary.size());
  return {chain, r.plain_modulus};
}

Explanation explain(const Parameters& p) { return explain_integers(p.chain, p.plain_modulus, search_for({})); }

std::vector<std::string_view> preset_names() { return {"bfv-8192", "bfv-16384"}; }

Parameters preset(std::string_view name) { return {integer_preset("bfv", name), kPresetPlainModulus}; }

}  // namespace ringfort::bfv
