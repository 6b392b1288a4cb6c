// SPDX-License-Identifier: Apache-2.0
// Chooses BGV parameters for a depth and a plain modulus: the smallest Q (product of the data primes) that keeps the
// phases (noise.h) of the promised circuit below half the modulus of their level. The circuit encrypts under the public
// key. Then it performs `depth` steps. Each step multiplies two operands with equal noise, relinearizes, and switches
// to the next lower level. At the end, the circuit adds four of the products. These products may have different
// correction factors.
//
// Switching to a lower level drops a prime q, and divides the correction factor by q modulo t. If all dropped primes
// are 1 modulo t, every correction factor is 1, and a sum simply adds phases. If not, a sum first multiplies its
// operands by small integers (integers::balance).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "rlwe/integers/parameters.h"
#include "rlwe/integers/ring.h"
#include "scheme/bgv/noise.h"

namespace ringfort::bgv {

namespace {

// Bits that a budget must have to spare, because actual primes are a little shorter than planned primes.
constexpr double kMargin = 1.0 / 16;
constexpr u32 kLongestLevel = 180;
constexpr u32 kMostEqualBits = 40;  // if t / gcd(t, 2n) is longer, too few primes are 1 modulo t and 2n

struct Factors {
  Factors(u64 t, bool is_equal) : equal(is_equal), sum_bits(is_equal ? 2 : integers::balanced_sum_bits(t)) {}
  bool equal;       // all primes except those of level 0 are 1 modulo t, so that all correction factors are 1
  double sum_bits;  // log2 of the growth of a phase in a sum of four terms
};

// Tells whether choose() looks for primes that are 1 modulo t. Every prime is 1 modulo any power of two up to 2n.
bool can_be_equal(const Requirements& r) {
  const u64 t = r.plain_modulus;
  return !r.shared_chain && t / std::gcd(t, 2 * u64{kSmallestDegree}) >> kMostEqualBits == 0;
}

bool has_equal_factors(const Parameters& p) {
  return std::all_of(p.chain.data.begin() + p.chain.limbs_per_level, p.chain.data.end(),
                     [&](u64 q) { return q % p.plain_modulus == 1; });
}

// Returns the noise budgets of sums of four results after 0, 1, 2 .. products. A noise budget is log2 of half the
// modulus divided by the phase. The list ends before the first budget that is not positive, and before a product whose
// phase exceeds half the modulus. Fresh phases are taken to be `spare` bits longer.
std::vector<double> budgets(const ChainSizes& sizes, u64 plain_modulus, double sum_bits, double spare = 0) {
  const NoiseGrowth bound(sizes.n, plain_modulus);
  Bound phase = bound.fresh(bound.embedding().fresh_public()) * Bound::power_of_two(spare);
  std::vector<double> out;
  for (u32 level = sizes.levels(); level-- > 0;) {
    const double largest = NoiseGrowth::largest(sizes.log2_q(level));
    if (phase.log2 + sum_bits >= largest) break;
    out.push_back(largest - sum_bits - phase.log2);
    const Bound product = phase * phase + bound.added(sizes.key_switch(bound.embedding(), level));
    if (level == 0 || product.log2 >= largest) break;
    phase = bound.mod_switched(product, sizes.group(level), 2);
  }
  return out;
}

// Returns a chain. Each level has ceil(log2_level / longest prime) primes of equal length. with_base() then changes the
// primes of level 0. If the length of primes is fixed, with_base() adds a level instead, where needed.
ChainSizes chain_of(const Requirements& r, u32 n, u32 depth, double log2_level) {
  const double longest = r.primes.bits == 0 ? kLongestPrime : r.primes.bits;
  const u32 limbs = static_cast<u32>(std::ceil(log2_level / longest));
  const double length = r.primes.bits == 0 ? std::ceil(log2_level / limbs) : longest;
  return {.n = n,
          .data = std::vector<double>(std::size_t{depth + 1} * limbs, length),
          .special = {},
          .limbs_per_level = limbs};
}

std::optional<ChainSizes> with_base(ChainSizes sizes, const Requirements& r, u32 depth, Factors factors, double spare) {
  const auto enough = [&] {
    ChainSizes with_key = sizes;
    (void)choose_digits(with_key, std::numeric_limits<double>::infinity());
    const std::vector<double> found = budgets(with_key, r.plain_modulus, factors.sum_bits, spare);
    return found.size() > depth && found[depth] > kMargin + spare / 8;
  };
  const u32 limbs = sizes.limbs_per_level;
  if (r.primes.bits != 0) {
    if (!enough()) sizes.data.insert(sizes.data.end(), limbs, r.primes.bits);
    return enough() ? std::optional(sizes) : std::nullopt;
  }
  const auto enough_with = [&](u32 bits) {
    std::fill_n(sizes.data.begin(), limbs, bits);
    return enough();
  };
  u32 low = 19, high = kLongestPrime;
  if (!enough_with(high)) return std::nullopt;
  while (low + 1 < high) {
    const u32 middle = (low + high) / 2;
    (enough_with(middle) ? high : low) = middle;
  }
  std::fill_n(sizes.data.begin(), limbs, high);
  return sizes;
}

std::optional<ChainSizes> shortest_chain(const Requirements& r, u32 n, u32 depth, Factors factors, double spare) {
  if (r.slots > n) return std::nullopt;
  std::optional<ChainSizes> best;
  const u32 step = r.primes.bits == 0 ? 1 : r.primes.bits;
  for (u32 level = std::max(20u, step); level <= kLongestLevel; level += step) {
    if (best && level * depth >= best->log2_qp()) break;
    const std::optional<ChainSizes> sizes = with_base(chain_of(r, n, depth, level), r, depth, factors, spare);
    if (sizes && (!best || sizes->log2_qp() < best->log2_qp())) best = sizes;
  }
  return best;
}

IntegerSearch search_for(const Requirements& r, Factors factors) {
  return {[r, factors](u32 n, u32 depth, double spare) { return shortest_chain(r, n, depth, factors, spare); },
          [factors](const ChainSizes& sizes, u64 t) { return budgets(sizes, t, factors.sum_bits); }};
}

Parameters choose_with(const Requirements& r, Factors factors) {
  const u64 also = factors.equal ? r.plain_modulus : 1;
  return {choose_integers(r, r.plain_modulus, search_for(r, factors), also), r.plain_modulus};
}

}  // namespace

Parameters choose(const Requirements& r) {
  const u64 t = r.plain_modulus;
  check_plain_modulus(t);
  if (can_be_equal(r)) {
    try {
      return choose_with(r, {t, true});
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;  // too few primes are 1 modulo t
    }
  }
  try {
    return choose_with(r, {t, false});
  } catch (const Error& error) {
    // If the ring is too small even for equal correction factors, this call throws an error that states the depth that
    // fits.
    if (error.code() == Code::unsupported) (void)choose_integers(r, t, search_for(r, {t, true}));
    throw;
  }
}

Explanation explain(const Parameters& p) {
  check_plain_modulus(p.plain_modulus);
  return explain_integers(p.chain, p.plain_modulus, search_for({}, {p.plain_modulus, has_equal_factors(p)}));
}

std::vector<std::string_view> preset_names() { return {"bgv-8192", "bgv-16384"}; }

Parameters preset(std::string_view name) { return {integer_preset("bgv", name), kPresetPlainModulus}; }

}  // namespace ringfort::bgv
