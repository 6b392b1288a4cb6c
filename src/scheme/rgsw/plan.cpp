// SPDX-License-Identifier: Apache-2.0
// Plans a search. The plan compares two numbers: the bound on the error of a count, and the smallest error that changes
// the count.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "ringfort/error.h"
#include "ringfort/rgsw_search.h"
#include "scheme/rgsw/noise.h"

namespace ringfort::rgsw {

namespace {

// c1 keeps log2 T + 10 bits, where T is the count range. At n = 2048, the bound on the error from rounding c1 is then
// about a third of the margin.
constexpr u32 kSwitchBits = 10;
// c0 has 5 bits fewer than c1, because its rounding error is not multiplied by the secret t
constexpr u32 kC0Saving = 5;
constexpr u32 kLargestRange = 1u << 16;
constexpr u64 kMostPlannedWords = u64{1} << 40;

// The errors of a count. Some are variances of a coefficient, and some are largest values.
struct Budget {
  double variance = 0;   // variance of the accumulated noise
  double switching = 0;  // variance of rounding c1
  double rounding = 0;   // largest error caused by rounding c0
  double margin = 0;     // smallest error that changes the count
};

void check_arguments(const Parameters& p, const SearchPlan& plan) {
  const auto refuse = [](const std::string& problem, const std::string& fix) {
    throw Error(Code::invalid_argument, problem, fix);
  };
  if (plan.mode != Mode::secret_key && plan.mode != Mode::public_key)
    refuse("the key mode is unknown", "use secret_key or public_key");
  if (plan.mode == Mode::public_key && !p.public_key_allowed) {
    throw Error(Code::mode_forbidden, "preset '" + p.name + "' has too small a noise budget for public-key encryption",
                "encrypt with the secret key, or use gsw128");
  }
  if (plan.words < 1 || plan.words > kMostPlannedWords)
    refuse("a search over " + std::to_string(plan.words) + " words was requested", "give 1 .. 2^40 words");
  if (plan.max_matches < 1) refuse("max_matches = 0", "give at least 1; the number of documents is a safe choice");
  if (plan.factors < 1 || plan.factors > 64)
    refuse(std::to_string(plan.factors) + " hash bits for each word were requested", "compare 1 .. 64 bits");
  if (!std::has_single_bit(plan.count_range) || plan.count_range < 2 || plan.count_range > kLargestRange) {
    refuse("the count range is " + std::to_string(plan.count_range), "choose a power of two in 2 .. 65536");
  }
  if (count_scale(p, plan.count_range) >> p.shift == 0) {
    throw Error(
        Code::noise_bound_exceeded,
        "a count range of " + std::to_string(plan.count_range) + " leaves no bits above the gadget's lowest digit",
        "choose a smaller count range");
  }
}

Budget budget_of(const Parameters& p, const SearchPlan& plan) {
  const Noise noise = noise_bound(p, plan.mode);
  const double q = static_cast<double>(p.q), scale = static_cast<double>(count_scale(p, plan.count_range));
  const double first = static_cast<double>(first_row(p, count_scale(p, plan.count_range)).factor);
  const double step = noise.product_gain * noise.fresh + noise.drop;
  Budget b;
  b.variance = static_cast<double>(plan.steps) * std::max(step, first * first * noise.fresh);
  const double c1_unit = std::ldexp(q, -static_cast<int>(plan.c1_bits)), weight = 1.0;
  b.switching = c1_unit * c1_unit * p.n * weight / 12;
  b.rounding = std::ldexp(q, -static_cast<int>(plan.c0_bits)) / 2 + 1;
  b.margin = (scale - (static_cast<double>(u64{1} << std::bit_width(p.q - 1)) - q)) / 2;
  return b;
}

SearchPlan evaluate(const Parameters& p, SearchPlan plan) {
  plan.steps = surviving_steps(plan.words, plan.max_matches, plan.factors, p.failure_bits);
  plan.c1_bits = std::min<u32>(static_cast<u32>(std::countr_zero(plan.count_range)) + kSwitchBits,
                               static_cast<u32>(std::bit_width(p.q)));
  plan.c0_bits = plan.c1_bits - kC0Saving;
  const Budget b = budget_of(p, plan);
  const double margin = b.margin - b.rounding;
  plan.noise_bits = std::log2(bound_factor(p)) + 0.5 * std::log2(b.variance);
  plan.margin_bits = std::log2(std::max(b.margin, 1.0));
  // Union bound over n coefficients and two signs. `tail` is log2 of the failure probability of surviving_steps.
  const double gauss = 1 + std::log2(p.n) - margin * margin / (2 * std::numbers::ln2 * (b.variance + b.switching));
  const double tail = -static_cast<double>(p.failure_bits) - 1;
  plan.failure_log2 =
      margin <= 0 ? 0 : std::min(0.0, std::max(gauss, tail) + std::log2(1 + std::exp2(-std::fabs(gauss - tail))));
  return plan;
}

bool holds(const Parameters& p, const SearchPlan& plan) {
  return plan.failure_log2 <= -static_cast<double>(p.failure_bits);
}

}  // namespace

std::uint64_t largest_words(const Parameters& p, Mode mode, u64 max_matches, u32 factors, u32 count_range) {
  SearchPlan plan{mode, 1, max_matches, factors, count_range};
  check_arguments(p, plan);
  const auto accepted = [&](u64 words) {
    plan.words = words;
    return holds(p, evaluate(p, plan));
  };
  if (!accepted(1)) return 0;
  u64 low = 1, high = kMostPlannedWords;
  if (accepted(high)) return high;
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (accepted(middle) ? low : high) = middle;
  }
  return low;
}

SearchPlan plan_search(const Parameters& p, Mode mode, u64 words, u64 max_matches, u32 factors, u32 count_range) {
  SearchPlan asked{mode, words, max_matches, factors, count_range};
  check_arguments(p, asked);
  const SearchPlan plan = evaluate(p, asked);
  if (holds(p, plan)) return plan;
  const u64 largest = largest_words(p, mode, max_matches, factors, count_range);
  const std::string asking = "a search of " + std::to_string(words) + " words, " + std::to_string(max_matches) +
                             " matches at most and counts below " + std::to_string(count_range) +
                             " would give a wrong count with a probability of up to 2^" +
                             std::to_string(static_cast<int>(std::ceil(plan.failure_log2))) + ", but preset '" +
                             p.name + "' promises 2^-" + std::to_string(p.failure_bits);
  throw Error(Code::noise_bound_exceeded, asking,
              largest == 0
                  ? "choose a smaller count range or fewer matches, or a preset with a larger noise budget (gsw128 "
                    "with the secret key)"
                  : "split into " + std::to_string((words + largest - 1) / largest) + " answers of at most " +
                        std::to_string(largest) +
                        " words, choose a smaller count range, or a preset with a larger noise budget");
}

std::size_t answer_bytes(const Parameters& p, const SearchPlan& plan) {
  return std::size_t{p.n} * (plan.c0_bits + plan.c1_bits) / 8;
}

}  // namespace ringfort::rgsw
