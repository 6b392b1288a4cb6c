// SPDX-License-Identifier: Apache-2.0
// Chooses the sizes of primes and the digits of key switching, and then the primes (parameters.h).
#include "rlwe/parameters.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "math/prime.h"
#include "math/rns.h"
#include "rlwe/sample.h"

namespace ringfort {

namespace {

// log2 of the product Q P of a chain's data and special primes must be at least this much below the limit, because
// primes are not exactly as long as planned.
constexpr double kMargin = 0.05;

[[noreturn]] void refuse_request(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

std::string bits_text(double bits) { return std::to_string(static_cast<u32>(std::ceil(bits))); }

double sum(const std::vector<double>& terms, std::size_t first, std::size_t count) {
  return std::accumulate(terms.begin() + static_cast<std::ptrdiff_t>(first),
                         terms.begin() + static_cast<std::ptrdiff_t>(first + count), 0.0);
}

std::vector<double> logarithms(const std::vector<u64>& primes) {
  std::vector<double> out;
  for (const u64 q : primes) out.push_back(std::log2(static_cast<double>(q)));
  return out;
}

// Returns the number of one-limb transforms that a key switch at the top level needs.
double switch_cost(const ChainSizes& sizes) {
  const double limbs = static_cast<double>(sizes.data.size()), special = static_cast<double>(sizes.special.size());
  return std::ceil(limbs / sizes.digit_limbs) * (limbs + special) + 2 * special + 2 * limbs;
}

}  // namespace

double ChainSizes::group(u32 level) const noexcept {
  return sum(data, std::size_t{level} * limbs_per_level, limbs_per_level);
}
double ChainSizes::log2_q(u32 level) const noexcept { return sum(data, 0, std::size_t{level + 1} * limbs_per_level); }
double ChainSizes::log2_qp() const noexcept { return sum(data, 0, data.size()) + sum(special, 0, special.size()); }

std::vector<double> ChainSizes::digits(u32 level) const {
  std::vector<double> out;
  const std::size_t limbs = std::size_t{level + 1} * limbs_per_level;
  for (std::size_t at = 0; at < limbs; at += digit_limbs)
    out.push_back(sum(data, at, std::min<std::size_t>(digit_limbs, limbs - at)));
  return out;
}

Bound ChainSizes::key_switch(const EmbeddingBound& bound, u32 level) const {
  return special.empty() ? Bound{} : bound.key_switch(digits(level), sum(special, 0, special.size()));
}

ChainSizes sizes_of(const ChainParameters& p) {
  if (p.limbs_per_level == 0 || p.digit_limbs == 0 || p.data.empty() || p.data.size() % p.limbs_per_level != 0) {
    refuse_request(std::to_string(p.data.size()) + " data primes do not make levels of " +
                       std::to_string(p.limbs_per_level) + " and digits of " + std::to_string(p.digit_limbs),
                   "give a multiple of limbs_per_level, and digits of at least one prime");
  }
  return {p.n, logarithms(p.data), logarithms(p.special), p.limbs_per_level, p.digit_limbs};
}

PrimePool::PrimePool(u32 n, PrimeForm form, const PrimeConditions& conditions)
    : n_(n),
      step_(std::lcm(form == PrimeForm::any ? 2 * u64{n} : std::max(2 * u64{n}, u64{1} << 16), conditions.also)),
      coprime_to_(conditions.coprime_to) {}

u64 PrimePool::nearest(double target, u32 most) {
  const double wanted = std::exp2(target);
  const u64 limit = u64{1} << most, start = static_cast<u64>(wanted / static_cast<double>(step_)) * step_ + 1;
  const auto good = [&](u64 q) { return q < limit && !taken_.contains(q) && is_prime(q) && coprime_to_ % q != 0; };
  for (u64 up = start + step_, down = start; down > start / 2 || up < std::min(limit, 2 * start);) {
    const bool above =
        up < limit && (down <= start / 2 || static_cast<double>(up) - wanted < wanted - static_cast<double>(down));
    const u64 q = above ? up : down;
    if (good(q)) return *taken_.insert(q).first;
    if (above) up += step_;
    else down -= std::min(down, step_);
    if (down <= start / 2 && up >= std::min(limit, 2 * start)) break;
  }
  throw Error(Code::unsupported,
              "all primes of about " + bits_text(target) + " bits that are 1 mod " + std::to_string(step_) +
                  " are taken (n = " + std::to_string(n_) + ")",
              "use longer primes, fewer levels or a smaller ring");
}

SecurityLevel level_of(const SecurityGoal& goal) {
  if ((goal.standard != 2018 && goal.standard != 2024) || (goal.bits != 128 && goal.bits != 192 && goal.bits != 256)) {
    refuse_request("security of " + std::to_string(goal.bits) + " bits by the tables of " +
                       std::to_string(goal.standard) + " was requested",
                   "choose 128, 192 or 256 bits, by the tables of 2018 or 2024");
  }
  return {static_cast<Standard>(goal.standard), goal.quantum ? Attack::quantum : Attack::classical, goal.bits};
}

void check_samples(const ChainParameters& p) {
  if (!p.insecure_reason.empty()) return;
  const ChainSizes sizes = sizes_of(p);
  // Encryptions under a secret key are samples modulo Q. Public keys are samples modulo Q p, where p is a special
  // prime. Rows of evaluation keys are samples modulo Q P, which no other sample exceeds.
  for (const double log2_modulus : {sum(sizes.data, 0, sizes.data.size()), sizes.log2_qp()}) {
    (void)check_sample({p.n, log2_modulus, SecretKind::ternary, std::sqrt(kErrorVariance)}, level_of(p.security))
        .take();
  }
}

void check_requirements(const RingRequirements& r) {
  (void)level_of(r.security);
  if (r.n != 0 && (!std::has_single_bit(r.n) || r.n < 8 || r.n > kLargestDegree))
    refuse_request("n = " + std::to_string(r.n) + " was requested",
                   "give a power of two in 1024 .. 131072, or in 8 .. 512 for parameters that need not be secure");
  if (r.n == 0 && !r.insecure_reason.empty())
    refuse_request("parameters below the security level were requested without a ring", "give n as well");
  if (r.primes.bits != 0 && (r.primes.bits < 20 || r.primes.bits > kLongestPrime)) {
    refuse_request("primes of " + std::to_string(r.primes.bits) + " bits were requested", "use 20 .. 60 bits");
  }
  if (r.depth > kDeepest)
    refuse_request("depth " + std::to_string(r.depth) + " was requested",
                   "no ring allows more than about 100 products one after the other; use a shallower circuit");
}

void check_plain_modulus(u64 t) {
  if (t >= 2 && t >> 50 == 0) return;
  refuse_request("the plain modulus " + std::to_string(t) + " was requested",
                 "choose 2 .. 2^50 - 1 (65537 for batches in rings up to n = 32768)");
}

bool has_slots(u64 t, u32 n) { return t % (2 * u64{n}) == 1 && is_prime(t); }

std::vector<u32> degrees(const RingRequirements& r, u32 largest) {
  if (r.n != 0) return {r.n};
  std::vector<u32> out;
  for (u32 n = kSmallestDegree; n <= largest; n *= 2) out.push_back(n);
  return out;
}

u32 largest_degree(const RingRequirements& r, u64 t) {
  if (r.slots == 1) return kLargestDegree;
  if (t == 2 || !is_prime(t))
    refuse_request("batches modulo " + std::to_string(t) + " were requested, but only odd primes have slots",
                   "take a plain modulus from primes(bits, n, 1), or slots = 1 and encode_coefficients");
  // t - 1 = odd * 2^k, and 2 n must divide 2^k
  const u32 most = static_cast<u32>(std::min<u64>(kLargestDegree, ((t - 1) & (~t + 2)) / 2));
  if (most >= std::max({r.n, r.slots, kSmallestDegree})) return most;
  refuse_request("batches modulo " + std::to_string(t) + " need a ring of at most n = " + std::to_string(most) +
                     ", but n = " + std::to_string(std::max({r.n, r.slots, kSmallestDegree})) + " is needed",
                 "take a plain modulus from primes(bits, n, 1), or slots = 1 for one value in each ciphertext");
}

double modulus_limit(const RingRequirements& r, u32 n) {
  if (!r.insecure_reason.empty()) return std::numeric_limits<double>::infinity();
  return largest_log2_modulus(n, SecretKind::ternary, level_of(r.security)).value_or(0);
}

bool choose_digits(ChainSizes& sizes, double limit) {
  const double longest = std::ceil(*std::max_element(sizes.data.begin(), sizes.data.end()));
  ChainSizes best = sizes;
  double cost = std::numeric_limits<double>::infinity();
  for (u32 limbs = 1; limbs <= sizes.data.size(); ++limbs) {
    sizes.digit_limbs = limbs;
    sizes.special.assign(limbs, longest);
    if (sizes.log2_qp() + kMargin > limit || switch_cost(sizes) >= cost) continue;
    cost = switch_cost(sizes);
    best = sizes;
  }
  sizes = best;
  return !sizes.special.empty();
}

namespace {

[[noreturn]] void refuse_all(const RingRequirements& r, const Search& search, u32 n, u32 fitting_depth) {
  const std::optional<ChainSizes> needed = search.fit(n, r.depth);
  std::string need = search.none;
  if (needed) {
    need = "log2 QP = " + bits_text(needed->log2_qp() + *std::max_element(needed->data.begin(), needed->data.end())) +
           " is needed, " + std::to_string(static_cast<u32>(modulus_limit(r, n))) + " is the limit of " +
           std::to_string(r.security.bits) + " bits of security";
  }
  const std::string ring = r.n != 0              ? "at n = "
                           : n == kLargestDegree ? "in the largest ring, n = "
                                                 : "in the largest ring for this plain modulus, n = ";
  const std::string other =
      needed && n < kLargestDegree ? "a larger ring" : "a lower precision, magnitude or plain modulus";
  throw Error(
      Code::unsupported, search.asked + ", " + ring + std::to_string(n) + ": " + need,
      "choose " + (fitting_depth < r.depth ? "depth <= " + std::to_string(fitting_depth) + ", or " : "") + other);
}

}  // namespace

ChainSizes smallest_ring(const RingRequirements& r, const Search& search) {
  ChainSizes sizes;
  const auto fits = [&](u32 n, u32 depth) {
    const std::optional<ChainSizes> found = search.fit(n, depth);
    if (found) sizes = *found;
    return found.has_value() && choose_digits(sizes, modulus_limit(r, n));
  };
  const std::vector<u32> all = degrees(r, search.largest);
  for (const u32 n : all) {
    if (fits(n, r.depth)) return sizes;
  }
  u32 low = 0, high = r.depth;  // `high`: the least depth known not to fit
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (fits(all.back(), middle)) low = middle + 1;
    else high = middle;
  }
  refuse_all(r, search, all.back(), high == 0 ? r.depth : high - 1);
}

namespace {

// There are few short primes. Therefore the primes that are found last may be shorter than planned. If the special
// primes are found first, a digit is seldom longer than the special primes together. make_chain() checks the digits.
enum class Special : bool { last, first };

ChainParameters found_chain(const ChainSizes& sizes, const RingRequirements& r, std::optional<double> log2_scale,
                            const PrimeConditions& conditions, Special special) {
  PrimePool pool(sizes.n, r.primes.form, conditions);
  ChainParameters p{.n = sizes.n,
                    .data = std::vector<u64>(sizes.data.size()),
                    .special = {},
                    .limbs_per_level = sizes.limbs_per_level,
                    .digit_limbs = sizes.digit_limbs,
                    .insecure_reason = r.insecure_reason,
                    .security = r.security};
  const auto find_special = [&] {
    for (const double bits : sizes.special) p.special.push_back(pool.largest_below(bits));
  };
  if (special == Special::first) find_special();
  double scale = log2_scale.value_or(0);
  const u32 most = r.primes.bits != 0 ? r.primes.bits : kLongestPrime + 1;
  for (u32 level = sizes.levels() - 1; level > 0; --level) {
    double left = scale;
    for (u32 i = 0; i < p.limbs_per_level; ++i) {
      const std::size_t at = std::size_t{level} * p.limbs_per_level + i;
      p.data[at] = log2_scale ? pool.nearest(left / (p.limbs_per_level - i), most) : pool.largest_below(sizes.data[at]);
      left -= std::log2(static_cast<double>(p.data[at]));
    }
    scale += left;  // S^2 / primes
  }
  for (u32 i = 0; i < p.limbs_per_level; ++i) p.data[i] = pool.largest_below(sizes.data[i]);
  if (special == Special::last) find_special();
  return p;
}

}  // namespace

bool ChainSizes::digits_fit() const {
  const std::vector<double> all = digits(levels() - 1);
  return special.empty() || *std::max_element(all.begin(), all.end()) <= sum(special, 0, special.size()) + 1;
}

ChainParameters make_chain(const ChainSizes& sizes, const RingRequirements& r, std::optional<double> log2_scale,
                           const PrimeConditions& conditions) {
  ChainParameters p = found_chain(sizes, r, log2_scale, conditions, Special::last);
  if (!sizes_of(p).digits_fit()) p = found_chain(sizes, r, log2_scale, conditions, Special::first);
  if (!sizes_of(p).digits_fit()) {
    throw Error(Code::unsupported,
                "the special primes that exist for n = " + std::to_string(sizes.n) + " are too short for key switching",
                "use longer primes, or a larger n");
  }
  check_samples(p);
  check_count(p.data.size() + p.special.size());
  return p;
}

void check_count(std::size_t primes) {
  if (primes <= kMostLimbs) return;
  throw Error(Code::unsupported,
              std::to_string(primes) + " primes would be needed, but a ring has at most " + std::to_string(kMostLimbs),
              "use longer primes or a lower depth");
}

}  // namespace ringfort
