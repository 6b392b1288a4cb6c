// SPDX-License-Identifier: Apache-2.0
// Chooses the parameters of a study: a plain modulus t that is large enough for every total, and a chain of primes with
// enough noise budget for the sums of products. In magnitude, a total of values is at most records * max |value|, and a
// total of products is at most records * max |value|^2. Every total must be below t / 2.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "ringfort/error.h"
#include "ringfort/ring.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

constexpr std::int64_t kLargestValue = std::int64_t{1} << 31;
constexpr std::size_t kMostColumns = 64;
constexpr std::uint64_t kMostUploads = std::uint64_t{1} << 24;
constexpr unsigned kLongestModulus = 49;  // bits; a context takes t < 2^50
constexpr unsigned kBitsOfTwoRows = 16;   // t = 1 mod 2^16: slots in every ring up to n = 2^15
constexpr std::uint32_t kMostSlots = 1u << (kBitsOfTwoRows - 1), kLeastRing = 1024;
constexpr unsigned kLongestPrime = 60, kShortestPrime = 20;
constexpr unsigned kMostMorePrimes = 2;
constexpr int kStepBits = 20;  // bits by which a chain without noise budget grows

std::uint64_t magnitude(const Column& column) { return static_cast<std::uint64_t>(std::max(-column.low, column.high)); }

// Returns the largest contribution of one record to a total.
uint128 largest_term(const Study& study) {
  std::uint64_t largest = 1;
  for (const Column& column : study.columns) largest = std::max(largest, magnitude(column));
  return study.wanted == Wanted::means ? largest : uint128{largest} * largest;
}

unsigned length(uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<unsigned>(std::bit_width(high))
                   : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value)));
}

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

// Returns a prime of `bits` bits that is 1 modulo 2^16, so that plaintexts modulo this prime have slots.
std::uint64_t prime_of(unsigned bits) { return static_cast<std::uint64_t>(primes(bits, kMostSlots, 1).front()); }

// Returns the length in bits, at least 20, of the shortest plain modulus above twice every total.
unsigned modulus_bits(const Study& study) {
  const uint128 total = largest_term(study) * study.uploads * (study.each_slot ? 1 : study.records);
  for (unsigned bits = std::max(20u, length(2 * total)); bits <= kLongestModulus; ++bits) {
    if (prime_of(bits) > 2 * total) return bits;
  }
  throw Error(Code::unsupported,
              "totals may reach 2^" + std::to_string(length(total)) +
                  ", but they must be below half a plain modulus, which is below 2^" + std::to_string(kLongestModulus),
              "declare narrower ranges or fewer records, or ask for means only");
}

// Returns the noise budget in bits that an upload, or a product of two columns, must have. With this budget, enough is
// left for sums over uploads and slots, relinearization and rotations.
double noise_budget(const Study& study, std::uint32_t n) {
  return std::log2(static_cast<double>(study.uploads)) + (study.each_slot ? 0 : std::log2(n)) + 2;
}

// Returns a chain whose primes all have the same length, and whose data primes have a product of about `log2_q` bits or
// more. If the caller does not choose the length of the primes, the chain has `more` additional primes. Then all primes
// are shorter, including the special prime.
ChainParameters chain_of(const Choice& choice, std::uint32_t n, std::uint64_t t, unsigned log2_q, unsigned more) {
  const unsigned longest = choice.primes.bits == 0 ? kLongestPrime : choice.primes.bits;
  const unsigned limbs = (log2_q + longest - 1) / longest + (choice.primes.bits == 0 ? more : 0);
  const unsigned bits = choice.primes.bits == 0 ? std::max((log2_q + limbs - 1) / limbs, kShortestPrime) : longest;
  ChainParameters chain;
  chain.n = n;
  chain.security = choice.security;
  chain.insecure_reason = choice.insecure_reason;
  for (const uint128 q : primes(bits, choice.primes.form == PrimeForm::any ? n : kMostSlots, limbs + 2)) {
    if (q != t) chain.data.push_back(static_cast<std::uint64_t>(q));
  }
  chain.data.resize(limbs + 1);
  chain.special = {chain.data.front()};
  chain.data.erase(chain.data.begin());
  return chain;
}

// Returns the noise budget of an upload, or of a product of two columns. The function runs the verbs once and takes the
// bound of the result, because bounds depend neither on the key nor on values. If the verbs are refused because no
// budget is left, returns a negative number. If the ring is insecure, returns no value.
template <class Scheme>
std::optional<double> budget_left(const typename Scheme::Parameters& parameters, bool products) try {
  const integers::Context<Scheme> context(parameters);
  const KeyGenerator generator(context);
  const std::vector<std::int64_t> nothing(1, 0);
  const auto fresh = integers::Encryptor<Scheme>(context, generator.create_public_key())
                         .encrypt(integers::Encoder<Scheme>(context).encode(nothing));
  return products ? integers::Evaluator<Scheme>(context).square(fresh).budget_bits() : fresh.budget_bits();
} catch (const Error& error) {
  if (error.code() == Code::insecure_parameters) return std::nullopt;
  if (error.code() != Code::noise_bound_exceeded) throw;
  return -kStepBits;
}

// Returns the shortest chain with enough budget in this ring, with `more` additional primes. Returns no value if the
// modulus of this chain is too long for the ring's security.
template <class Scheme>
std::optional<typename Scheme::Parameters> shortest(const Study& study, const Choice& choice, std::uint32_t n,
                                                    std::uint64_t t, unsigned more) {
  const double budget = noise_budget(study, n);
  const bool products = study.wanted != Wanted::means;
  for (unsigned log2_q = (products ? 2 : 1) * static_cast<unsigned>(std::bit_width(t)) + kStepBits;;) {
    const typename Scheme::Parameters p{chain_of(choice, n, t, log2_q, more), t};
    const std::optional<double> left = budget_left<Scheme>(p, products);
    if (!left) return std::nullopt;
    if (*left >= budget) return p;
    log2_q += static_cast<unsigned>(std::ceil(budget - *left));
  }
}

}  // namespace

void check(const Study& study) {
  if (study.columns.empty() || study.columns.size() > kMostColumns)
    refuse("the study has " + std::to_string(study.columns.size()) + " columns", "give 1 .. 64");
  for (const Column& column : study.columns) {
    if (column.low > column.high || column.low < -kLargestValue || column.high > kLargestValue) {
      refuse("column '" + column.name + "' has the range " + std::to_string(column.low) + " .. " +
                 std::to_string(column.high),
             "give two numbers in order, at most 2^31 in magnitude");
    }
  }
  if (study.wanted > Wanted::regressions)
    refuse("the value of `wanted` is unknown", "give means, variances or regressions");
  if (study.uploads == 0 || study.uploads > kMostUploads)
    refuse("the study is for " + std::to_string(study.uploads) + " uploads", "give 1 .. 2^24 as the largest number");
  if (study.records == 0 || study.records > kMostSlots)
    refuse("an upload of the study may have " + std::to_string(study.records) + " records",
           "give 1 .. " + std::to_string(kMostSlots));
}

std::size_t Study::products() const noexcept {
  if (wanted == Wanted::means) return 0;
  return wanted == Wanted::variances ? columns.size() : columns.size() * (columns.size() + 1) / 2;
}

std::size_t Study::product(std::size_t a, std::size_t b) const {
  const auto [low, high] = std::minmax(a, b);
  if (high >= columns.size())
    refuse("there is no column " + std::to_string(high) + " in a study of " + std::to_string(columns.size()),
           "columns count from 0");
  if (wanted == Wanted::means)
    refuse("a study of means has no sums of products", "make it with Wanted::variances or regressions");
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
  if (choice.n == 0 && !choice.insecure_reason.empty())
    refuse("insecure parameters were requested without a ring", "give n as well");
  if (choice.n != 0 && choice.n < study.records)
    refuse("a ring of n = " + std::to_string(choice.n) + " has fewer slots than the " + std::to_string(study.records) +
               " records of an upload",
           "give a larger n, or leave it out");
  const std::uint64_t t = prime_of(modulus_bits(study));
  const std::uint32_t least = std::bit_ceil(std::max(study.records, kLeastRing));
  for (std::uint32_t n = choice.n != 0 ? choice.n : least; n <= kMostSlots; n *= 2) {
    for (unsigned more = 0; more <= kMostMorePrimes; ++more) {
      if (const auto found = shortest<Scheme>(study, choice, n, t, more)) return *found;
    }
    if (choice.n != 0) break;
  }
  const std::string needed =
      "noise budget for " + std::to_string(study.uploads) + " uploads modulo " + std::to_string(t);
  if (choice.n != 0)
    throw Error(Code::unsupported,
                "the ring n = " + std::to_string(choice.n) + " has no " + needed + " at its level of security",
                "leave n out, or give a larger n");
  throw Error(Code::unsupported, "no ring has " + needed,
              "declare fewer uploads or narrower ranges, or let the library choose primes");
}

template bgv::Parameters choose<bgv::Scheme>(const Study&, const Choice&);
template bfv::Parameters choose<bfv::Scheme>(const Study&, const Choice&);

KeyPlan plan_rotations(const KeyContext& context) {
  KeyRequest request;
  for (std::uint32_t step = 1; step < context.chain().n / 2; step *= 2)
    request.rotations.push_back(static_cast<std::int32_t>(step));
  request.conjugation = true;
  return plan_keys(context, request);
}

}  // namespace ringfort::statistics
