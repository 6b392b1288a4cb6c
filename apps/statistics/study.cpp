// SPDX-License-Identifier: Apache-2.0
// What a study needs of a ring: a plain modulus above every total, and room for the noise of so many sums of products.
// Totals are at most records * max |value| (or product of two) in magnitude; they must stay below t / 2.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ringfort/error.h"
#include "ringfort/ring.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

constexpr std::int64_t kLargestValue = std::int64_t{1} << 31;
constexpr std::size_t kMostColumns = 64;
constexpr std::uint64_t kMostUploads = std::uint64_t{1} << 24;
constexpr unsigned kLongestModulus = 49;                   // bits; a context takes t < 2^50
constexpr unsigned kBitsOfTwoRows = 16;                    // t = 1 mod 2^16: slots in every ring up to n = 2^15
constexpr std::uint32_t kMostSlots = 1u << (kBitsOfTwoRows - 1);

std::uint64_t magnitude(const Column& column) { return static_cast<std::uint64_t>(std::max(-column.low, column.high)); }

// Of one record's part of any total.
uint128 largest_term(const Study& study) {
  std::uint64_t largest = 1;
  for (const Column& column : study.columns) largest = std::max(largest, magnitude(column));
  return study.wanted == Wanted::means ? largest : uint128{largest} * largest;
}

unsigned length(uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<unsigned>(std::bit_width(high)) : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value)));
}

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) { throw Error(Code::invalid_argument, problem, fix); }

// A prime of `bits` bits with slots.
std::uint64_t prime_of(unsigned bits) { return static_cast<std::uint64_t>(primes(bits, kMostSlots, 1).front()); }

// The shortest plain modulus that no total reaches half of.
unsigned modulus_bits(const Study& study) {
  const uint128 total = largest_term(study) * study.uploads * (study.each_slot ? 1 : study.records);
  for (unsigned bits = std::max(20u, length(2 * total)); bits <= kLongestModulus; ++bits) {
    if (prime_of(bits) > 2 * total) return bits;
  }
  throw Error(Code::unsupported, "totals may reach 2^" + std::to_string(length(total)) + ", plain moduli are below 2^" + std::to_string(kLongestModulus + 1),
              "declare narrower ranges or fewer records, or ask for means only");
}

bool is_taken(const ChainParameters& chain, std::uint64_t t) {
  return std::ranges::find(chain.data, t) != chain.data.end() || std::ranges::find(chain.special, t) != chain.special.end();
}

// Bits by which the noise of one product may grow: uploads, slots, and what rotations add.
double noise_room(const Study& study, std::uint32_t n) {
  return std::log2(static_cast<double>(study.uploads)) + (study.each_slot ? 0 : std::log2(n)) + 2;
}

template <class Scheme>
struct Planner;
template <>
struct Planner<bgv::Scheme> {
  using Requirements = bgv::Requirements;
  static bgv::Parameters choose(const Requirements& r) { return bgv::choose(r); }
  static Explanation explain(const bgv::Parameters& p) { return bgv::explain(p); }
};
template <>
struct Planner<bfv::Scheme> {
  using Requirements = bfv::Requirements;
  static bfv::Parameters choose(const Requirements& r) { return bfv::choose(r); }
  static Explanation explain(const bfv::Parameters& p) { return bfv::explain(p); }
};

// A chain for a plain modulus that is `spare` bits longer has room for 2 spare bits of noise, or spare without products.
template <class Scheme>
typename Scheme::Parameters with_spare(const Study& study, const Choice& choice, std::uint64_t t, unsigned spare, std::uint32_t depth) {
  typename Planner<Scheme>::Requirements r;
  r.depth = depth;
  r.n = choice.n;
  r.slots = study.records;
  r.primes = choice.primes;
  r.security = choice.security;
  r.insecure_reason = choice.insecure_reason;
  r.plain_modulus = spare == 0 ? t : prime_of(static_cast<unsigned>(std::bit_width(t)) + spare);
  typename Scheme::Parameters p = Planner<Scheme>::choose(r);
  p.plain_modulus = t;
  return p;
}

}  // namespace

void check(const Study& study) {
  if (study.columns.empty() || study.columns.size() > kMostColumns) refuse("a study of " + std::to_string(study.columns.size()) + " columns", "give 1 .. 64");
  for (const Column& column : study.columns) {
    if (column.low > column.high || column.low < -kLargestValue || column.high > kLargestValue) {
      refuse("column '" + column.name + "' has the range " + std::to_string(column.low) + " .. " + std::to_string(column.high), "give two numbers in order, at most 2^31 in magnitude");
    }
  }
  if (study.wanted > Wanted::regressions) refuse("the study wants totals that there are not", "give means, variances or regressions");
  if (study.uploads == 0 || study.uploads > kMostUploads) refuse("a study of " + std::to_string(study.uploads) + " uploads", "say how many there may be, 1 .. 2^24");
  if (study.records == 0 || study.records > kMostSlots) refuse("uploads of " + std::to_string(study.records) + " records", "give 1 .. " + std::to_string(kMostSlots));
}

std::size_t Study::products() const noexcept {
  if (wanted == Wanted::means) return 0;
  return wanted == Wanted::variances ? columns.size() : columns.size() * (columns.size() + 1) / 2;
}

std::size_t Study::product(std::size_t a, std::size_t b) const {
  const auto [low, high] = std::minmax(a, b);
  if (high >= columns.size()) refuse("column " + std::to_string(high) + " of a study of " + std::to_string(columns.size()), "columns count from 0");
  if (wanted == Wanted::means) refuse("a study of means has no sums of products", "make it with Wanted::variances or regressions");
  if (wanted == Wanted::regressions) return high * (high + 1) / 2 + low;
  if (low != high) refuse("a study of variances has no products of two columns", "make it with Wanted::regressions");
  return high;
}

std::uint64_t Study::capacity(std::uint64_t plain_modulus) const {
  return static_cast<std::uint64_t>((plain_modulus - 1) / 2 / largest_term(*this));
}

template <class Scheme>
typename Scheme::Parameters choose(const Study& study, const Choice& choice) {
  check(study);
  const std::uint32_t first_depth = study.wanted == Wanted::means ? 0 : 1;
  for (unsigned bits = modulus_bits(study); bits <= kLongestModulus; ++bits) {
    const std::uint64_t t = prime_of(bits);
    for (std::uint32_t depth = first_depth; depth <= first_depth + 1; ++depth) {
      for (unsigned spare = 0; bits + spare <= kLongestModulus; spare += 3) {
        const auto p = with_spare<Scheme>(study, choice, t, spare, depth);
        if (is_taken(p.chain, t)) break;                   // the next longer one, then
        const auto left = Planner<Scheme>::explain(p).bits_left;
        if (left.size() > first_depth && left[first_depth] >= noise_room(study, p.chain.n)) return p;
      }
    }
  }
  throw Error(Code::unsupported, "no ring has room for the noise of " + std::to_string(study.uploads) + " uploads", "declare fewer uploads or narrower ranges");
}

template bgv::Parameters choose<bgv::Scheme>(const Study&, const Choice&);
template bfv::Parameters choose<bfv::Scheme>(const Study&, const Choice&);

KeyPlan plan_rotations(const KeyContext& context) {
  KeyRequest request;
  for (std::uint32_t step = 1; step < context.chain().n / 2; step *= 2) request.rotations.push_back(static_cast<std::int32_t>(step));
  request.conjugation = true;
  return plan_keys(context, request);
}

}  // namespace ringfort::statistics
