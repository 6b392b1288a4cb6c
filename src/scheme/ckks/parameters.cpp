// SPDX-License-Identifier: Apache-2.0
// Chooses CKKS parameters for a precision and a depth. The search first computes error bounds from the lengths of the
// primes, and then from the primes themselves. The promised circuit encrypts under the public key. Then it performs
// `depth` steps. Each step multiplies two operands with equal noise and with values of at most `magnitude`,
// relinearizes and rescales. At the end, the circuit adds four of the products. An operand may also come from a higher
// level, aligned by AutomaticEvaluator. The search adds one bit to the requested precision, because decryption for the
// owner rounds.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/shown.h"
#include "rlwe/parameters.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

constexpr double kSums = 4;
constexpr double kMargin = 1.0 / 16;  // bits for the difference between planned and actual primes
constexpr double kRoundedBits = 1;    // rounding to the size of the error at most doubles the error
constexpr u32 kLongestScale = 100;
// Encodings stay below 2^119. The absolute value of a complex number may be 2^0.5 times its largest component.
constexpr double kLongestCoefficient = 118.5;
// conversion of slots to doubles loses 3/2 units in the last place
constexpr double kDoubleBits = 50.4;

// Returns log2 of the factor by which a release increases the error of a slot. A release adds noise that is nearly
// normal. The standard deviation of the noise is sqrt(12 queries) 2^(bits / 2) times the Euclidean norm of the error
// [LiMicciancioSchultzSorrell22]. Except with negligible probability, the noise of every slot stays below 14 times its
// standard deviation.
double release_bits(const Release& release, u32 n) {
  if (release.bits == 0) return 0;
  return 0.5 * (std::log2(12.0 * static_cast<double>(release.queries)) + release.bits + std::log2(n)) + std::log2(14.0);
}

struct Plan {
  double log2_scale = 0;
  double magnitude = 1;
  u32 slots = 0;
  double flood = 0;  // bits
};

double largest_result(const Plan& plan) { return std::max(plan.magnitude, plan.magnitude * plan.magnitude); }

// Returns the accuracy of one result after 0, 1, 2 .. products. The list ends when the phase of a sum of four results,
// or of the next product, would exceed half the modulus.
std::vector<Accuracy> results(const ChainSizes& sizes, const Plan& plan) {
  const EmbeddingBound bound(sizes.n);
  const double most = largest_result(plan), scale = std::exp2(plan.log2_scale);
  Accuracy now{
      {scale, 0}, plan.magnitude, bound.fresh_public().value() + encode_error(plan.slots, plan.magnitude, scale)};
  const auto fits = [&](double phase, u32 level) { return std::log2(phase) + 1 < sizes.log2_q(level) - kMargin; };
  std::vector<Accuracy> out;
  for (u32 level = sizes.levels(); level-- > 0;) {
    if (!fits(kSums * (now.scale.high * most + now.error), level)) break;
    out.push_back(now);
    const Accuracy squared = with_error(product(now, now), sizes.key_switch(bound, level).value());
    if (level == 0 || !fits(squared.value() + squared.error, level)) break;
    const Accuracy before = now;
    now = with_error(divided(squared, {std::exp2(sizes.group(level)), 0}), bound.rounding(2).value());
    now.magnitude = plan.magnitude;
    now.error = std::max(
        now.error, before.error * now.scale.high / before.scale.high + plan.magnitude + bound.rounding(2).value());
  }
  return out;
}

// Returns the precision in bits of the decoded sum of four results, after the noise of a release is added.
std::vector<double> precisions(const ChainSizes& sizes, const Plan& plan) {
  std::vector<double> out;
  for (const Accuracy& one : results(sizes, plan)) {
    const double shown = std::exp2(plan.flood) * one.error / one.scale.high;
    out.push_back(-1 - std::log2(kSums * (shown + decode_error(plan.slots, largest_result(plan), one.scale.high))));
  }
  return out;
}

Plan plan_of(const Parameters& p) {
  return {.log2_scale = std::log2(p.scale),
          .magnitude = p.magnitude,
          .slots = p.slots == 0 ? p.chain.n / 2 : p.slots,
          .flood = release_bits(p.release, p.chain.n)};
}

void check(const Requirements& r) {
  check_requirements(r);
  if (r.precision > 100 || !(r.magnitude > 0 && r.magnitude <= 0x1p100)) {
    throw Error(Code::invalid_argument,
                "precision " + std::to_string(r.precision) + " for magnitude " + ringfort::shown(r.magnitude) +
                    " was requested",
                "use at most 100 bits, and a magnitude in (0, 2^100]");
  }
  const double results = 2 + 2 * std::max(0.0, std::log2(r.magnitude));
  if (r.precision + kRoundedBits + results > kDoubleBits) {
    throw Error(
        Code::unsupported,
        "precision " + std::to_string(r.precision) + " was requested, for sums of four products of values up to 2^" +
            ringfort::shown(std::log2(r.magnitude)) + ": a double has only 53 bits for its integer and its fraction",
        "lower the precision or the magnitude");
  }
  if (r.release.bits > 128 || r.release.queries == 0) {
    throw Error(Code::invalid_argument, "a release of " + std::to_string(r.release.bits) + " bits was requested",
                "use at most 128 bits and at least one query");
  }
}

u32 slots_for(const Requirements& r, u32 n) {
  return r.slots == 0 ? n / 2 : std::min(n / 2, static_cast<u32>(std::bit_ceil(r.slots)));
}

// Returns a chain. The product of group 0, the primes of level 0, must also leave bits for the integer part of the
// values. Therefore these primes are longer. If they would be too long, the chain has one more group instead.
ChainSizes chain_of(const Requirements& r, u32 n, u32 depth, u32 log2_scale) {
  const u32 limbs = (log2_scale + kLongestPrime - 1) / kLongestPrime;
  const double headroom = 4 + std::max(0.0, std::ceil(2 * std::log2(r.magnitude)));
  const bool one_group = (log2_scale + headroom) / limbs <= kLongestPrime;
  ChainSizes sizes{.n = n, .data = {}, .special = {}, .limbs_per_level = limbs};
  sizes.data.assign(std::size_t{depth + (one_group ? 1 : 2)} * limbs, static_cast<double>(log2_scale) / limbs);
  for (u32 i = 0; one_group && i < limbs; ++i) sizes.data[i] = std::ceil((log2_scale + headroom) / limbs);
  return sizes;
}

// Returns a chain with `limbs` primes for each level, all of the requested length. The scale is near the middle of the
// range of the primes that the levels will use.
ChainSizes short_chain_of(const Requirements& r, u32 n, u32 depth, u32 limbs) {
  const u32 count = (depth + 2) * limbs, step = r.primes.form == PrimeForm::any ? 2 * n : std::max(2 * n, 1u << 16);
  // mean distance between primes, relative to 2^bits
  const double spacing = step / 2.0 * r.primes.bits * 0.7 * std::exp2(-static_cast<double>(r.primes.bits));
  ChainSizes sizes{.n = n, .data = {}, .special = {}, .limbs_per_level = limbs};
  sizes.data.assign(count, r.primes.bits + std::log2(std::max(0.5, 1 - 0.6 * spacing * count)));
  for (u32 i = 0; i < limbs; ++i) sizes.data[i] = r.primes.bits;
  return sizes;
}

struct Choice {
  ChainSizes sizes;
  double log2_scale = 0;
};

// Returns the chain with the shortest scale that leaves the requested precision and `spare` bits. If its modulus
// exceeds the limit of the ring, a longer scale may still fit: its levels may have more primes, and shorter special
// primes.
std::optional<Choice> shortest_chain(const Requirements& r, u32 n, u32 depth, double spare) {
  const u32 slots = slots_for(r, n);
  if (r.slots > n / 2) return std::nullopt;
  const bool fixed = r.primes.bits != 0;
  std::optional<Choice> shortest;
  for (u32 size = fixed ? 1 : 20; size <= (fixed ? kLongestScale / r.primes.bits : kLongestScale); ++size) {
    Choice choice{fixed ? short_chain_of(r, n, depth, size) : chain_of(r, n, depth, size), static_cast<double>(size)};
    if (fixed) choice.log2_scale = choice.sizes.data.back() * size;
    if (choice.log2_scale + std::log2(r.magnitude) > kLongestCoefficient - kMargin) break;
    ChainSizes with_key = choice.sizes;
    const bool fits = choose_digits(with_key, modulus_limit(r, n));
    if (!fits && shortest) continue;
    if (!fits) (void)choose_digits(with_key, std::numeric_limits<double>::infinity());
    const std::vector<double> found =
        precisions(with_key, {choice.log2_scale, r.magnitude, slots, release_bits(r.release, n)});
    if (found.size() <= depth || found[depth] < r.precision + kRoundedBits + kMargin + spare) continue;
    if (fits) return choice;
    shortest = choice;
  }
  return shortest;
}

}  // namespace

Parameters choose(const Requirements& r) {
  check(r);
  const std::string asked = "depth " + std::to_string(r.depth) + " at precision " + std::to_string(r.precision);
  const auto plan = [&](double spare) {
    Choice choice;
    choice.sizes = smallest_ring(
        r,
        {asked,
         "every product may multiply the error by twice the magnitude, and no scale up to 2^100 keeps that precision",
         kLargestDegree, [&](u32 n, u32 depth) -> std::optional<ChainSizes> {
           const std::optional<Choice> found = shortest_chain(r, n, depth, spare);
           if (!found) return std::nullopt;
           choice.log2_scale = found->log2_scale;
           return found->sizes;
         }});
    return choice;
  };
  return with_spare_bits(plan, [&](const Choice& choice) {
    const Parameters p{make_chain(choice.sizes, r, choice.log2_scale), std::exp2(choice.log2_scale),
                       slots_for(r, choice.sizes.n), r.magnitude, r.release};
    const Explanation e = explain(p);
    if (e.depth >= r.depth && e.bits_left[r.depth] >= r.precision + kRoundedBits) return p;
    throw Error(Code::unsupported,
                asked + ": there are not enough primes near the scale 2^" + std::to_string(choice.log2_scale) +
                    " for n = " + std::to_string(choice.sizes.n),
                "use longer primes, or a larger n");
  });
}

Explanation explain(const Parameters& p) {
  Explanation e = explain_chain(p.chain);
  e.slots = plan_of(p).slots;
  e.bits_left = precisions(sizes_of(p.chain), plan_of(p));
  e.depth = e.bits_left.empty() ? 0 : static_cast<u32>(e.bits_left.size()) - 1;
  return e;
}

std::vector<double> planned_errors(const Parameters& p) {
  std::vector<double> out;
  for (const Accuracy& one : results(sizes_of(p.chain), plan_of(p))) out.push_back(kSums * one.error / one.scale.high);
  return out;
}

std::vector<std::string_view> preset_names() { return {"ckks-8192-3", "ckks-32768-8", "ckks-65536-24"}; }

// Presets have data primes near 2^50, one special prime, and digits of one prime each.
Parameters preset(std::string_view name) {
  const auto parameters = [](u32 n, u32 primes) {
    RingRequirements r;
    r.n = n;
    r.primes.bits = 50;
    ChainSizes sizes{.n = n, .data = std::vector<double>(primes, 50), .special = {50}};
    const double log2_scale = 50 + std::log2(1 - 0x1p-25 * primes);
    return Parameters{.chain = make_chain(sizes, r, log2_scale),
                      .scale = std::exp2(log2_scale),
                      .slots = n / 2,
                      .magnitude = 1,
                      .release = {}};
  };
  if (name == "ckks-8192-3") return parameters(8192, 3);
  if (name == "ckks-32768-8") return parameters(32768, 8);
  if (name == "ckks-65536-24") return parameters(65536, 24);
  throw Error(Code::invalid_argument, "there is no preset '" + std::string(name) + "' of CKKS",
              "known: ckks-8192-3, ckks-32768-8, ckks-65536-24");
}

}  // namespace ringfort::ckks
