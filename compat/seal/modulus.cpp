// SPDX-License-Identifier: Apache-2.0
// Moduli and the choice of primes (seal/modulus.h). ringfort/ring.h tells primes from other numbers.
#include "seal/modulus.h"

#include <map>

#include "bytes.h"
#include "errors.h"
#include "ringfort/ring.h"
#include "seal/util/numth.h"

namespace seal {

void Modulus::set_value(std::uint64_t value) {
  if (value == 1 || value >> SEAL_MOD_BIT_COUNT_MAX != 0)
    detail::refuse_argument("the modulus " + std::to_string(value) + " was requested", "choose 0, or 2 .. 2^61 - 1");
  value_ = value;
  bit_count_ = util::get_significant_bit_count(value);
  is_prime_ = ringfort::is_prime(value);
  const_ratio_ = {{0, 0, 0}};
  if (value == 0) return;
  using Wide = unsigned __int128;
  const Wide most = ~Wide(0), quotient = most / value, rest = most % value + 1;  // 2^128 = quotient value + rest
  const Wide ratio = quotient + rest / value;
  const_ratio_ = {{static_cast<std::uint64_t>(ratio), static_cast<std::uint64_t>(ratio >> 64),
                   static_cast<std::uint64_t>(rest % value)}};
}

std::uint64_t Modulus::reduce(std::uint64_t value) const {
  if (value_ == 0) detail::refuse_state("a number cannot be reduced modulo 0", "set the modulus first");
  // const_ratio_[1] = floor(2^64 / q). Therefore the quotient is the true one, or one less.
  const auto quotient = static_cast<std::uint64_t>(static_cast<unsigned __int128>(value) * const_ratio_[1] >> 64);
  const std::uint64_t rest = value - quotient * value_;
  return rest >= value_ ? rest - value_ : rest;
}

std::streamoff Modulus::save_size(compr_mode_type compr_mode) const {
  return static_cast<std::streamoff>(sizeof(Serialization::SEALHeader) +
                                     Serialization::ComprSizeEstimate(sizeof value_, compr_mode));
}
std::streamoff Modulus::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { detail::write_value(to, value_); },
                             save_size(compr_mode_type::none), stream, compr_mode, false);
}
std::streamoff Modulus::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { detail::write_value(to, value_); },
                             save_size(compr_mode_type::none), out, size, compr_mode, false);
}
std::streamoff Modulus::load(std::istream& stream) {
  return Serialization::Load(
      [this](std::istream& from, SEALVersion) { set_value(detail::read_value<std::uint64_t>(from)); }, stream, false);
}
std::streamoff Modulus::load(const seal_byte* in, std::size_t size) {
  return Serialization::Load(
      [this](std::istream& from, SEALVersion) { set_value(detail::read_value<std::uint64_t>(from)); }, in, size, false);
}

bool util::is_prime(const Modulus& modulus, std::size_t) { return modulus.is_prime(); }

std::vector<Modulus> util::get_primes(std::uint64_t factor, int bit_size, std::size_t count) {
  if (count == 0) detail::refuse_argument("no primes were requested", "ask for at least one");
  if (factor == 0) detail::refuse_argument("primes modulo 0 were requested", "choose a factor above 0");
  if (bit_size < 2 || bit_size > SEAL_MOD_BIT_COUNT_MAX)
    detail::refuse_argument("primes of " + std::to_string(bit_size) + " bits were requested", "choose 2 .. 61 bits");
  const std::uint64_t least = std::uint64_t(1) << (bit_size - 1), most = 2 * least - 1;
  std::vector<Modulus> found;
  for (std::uint64_t candidate = (most - 1) / factor * factor + 1; candidate > least && found.size() < count;) {
    if (ringfort::is_prime(candidate)) found.emplace_back(candidate);
    if (candidate <= factor) break;
    candidate -= factor;
  }
  if (found.size() == count) return found;
  detail::refuse_state(std::to_string(count) + " primes of " + std::to_string(bit_size) + " bits were requested, but " +
                           std::to_string(found.size()) + " are 1 modulo " + std::to_string(factor),
                       "choose longer primes, fewer of them or a smaller degree");
}

namespace {

void check_request(std::size_t degree, const std::vector<int>& bit_sizes) {
  if (degree < SEAL_POLY_MOD_DEGREE_MIN || degree > SEAL_POLY_MOD_DEGREE_MAX || util::get_power_of_two(degree) < 0)
    detail::refuse_argument("degree " + std::to_string(degree) + " was requested",
                            "choose a power of two in 2 .. 131072");
  if (bit_sizes.size() > SEAL_COEFF_MOD_COUNT_MAX)
    detail::refuse_argument(std::to_string(bit_sizes.size()) + " primes were requested", "choose at most 64");
  for (const int bits : bit_sizes) {
    if (bits >= SEAL_USER_MOD_BIT_COUNT_MIN && bits <= SEAL_USER_MOD_BIT_COUNT_MAX) continue;
    detail::refuse_argument("a prime of " + std::to_string(bits) + " bits was requested", "choose 2 .. 60 bits");
  }
}

// SEAL's order: of several primes of one length, the smallest comes first.
std::vector<Modulus> primes_of_sizes(std::uint64_t factor, const std::vector<int>& bit_sizes) {
  std::map<int, std::size_t> counts;
  for (const int bits : bit_sizes) ++counts[bits];
  std::map<int, std::vector<Modulus>> left;
  for (const auto& [bits, count] : counts) left[bits] = util::get_primes(factor, bits, count);
  std::vector<Modulus> primes;
  for (const int bits : bit_sizes) {
    primes.push_back(left[bits].back());
    left[bits].pop_back();
  }
  return primes;
}

struct PrimeRun {
  int bits;
  std::size_t count;
};

// SEAL's default moduli for BFV: for each degree, runs of the largest primes of a length that are 1 modulo 2^log2_step.
struct DefaultPrimes {
  std::size_t degree;
  sec_level_type level;
  int log2_step;
  std::vector<PrimeRun> runs;
};

const std::vector<DefaultPrimes>& default_primes() {
  using Level = sec_level_type;
  static const auto* const all = new std::vector<DefaultPrimes>{
      {1024, Level::tc128, 21, {{27, 1}}},           {2048, Level::tc128, 24, {{54, 1}}},
      {4096, Level::tc128, 13, {{36, 2}, {37, 1}}},  {8192, Level::tc128, 14, {{43, 2}, {44, 3}}},
      {16384, Level::tc128, 15, {{48, 3}, {49, 6}}}, {32768, Level::tc128, 16, {{55, 15}, {56, 1}}},
      {1024, Level::tc192, 11, {{19, 1}}},           {2048, Level::tc192, 18, {{37, 1}}},
      {4096, Level::tc192, 13, {{25, 3}}},           {8192, Level::tc192, 14, {{38, 4}}},
      {16384, Level::tc192, 15, {{50, 6}}},          {32768, Level::tc192, 16, {{54, 5}, {55, 6}}},
      {1024, Level::tc256, 11, {{14, 1}}},           {2048, Level::tc256, 18, {{29, 1}}},
      {4096, Level::tc256, 18, {{58, 1}}},           {8192, Level::tc256, 14, {{39, 2}, {40, 1}}},
      {16384, Level::tc256, 15, {{47, 3}, {48, 2}}}, {32768, Level::tc256, 16, {{52, 1}, {53, 8}}},
  };
  return *all;
}

// Made when the program is loaded, for the reasons in memory.cpp.
[[maybe_unused]] const std::size_t primes_made = default_primes().size();

}  // namespace

std::vector<Modulus> CoeffModulus::BFVDefault(std::size_t poly_modulus_degree, sec_level_type sec_level) {
  for (const DefaultPrimes& each : default_primes()) {
    if (each.degree != poly_modulus_degree || each.level != sec_level) continue;
    std::vector<Modulus> primes;
    for (const PrimeRun& run : each.runs) {
      const std::vector<Modulus> found = util::get_primes(std::uint64_t(1) << each.log2_step, run.bits, run.count);
      primes.insert(primes.end(), found.begin(), found.end());
    }
    return primes;
  }
  detail::refuse_argument("default primes for degree " + std::to_string(poly_modulus_degree) + " were requested",
                          "choose a power of two in 1024 .. 32768, and a security of 128, 192 or 256 bits");
}

std::vector<Modulus> CoeffModulus::Create(std::size_t poly_modulus_degree, std::vector<int> bit_sizes) {
  check_request(poly_modulus_degree, bit_sizes);
  return primes_of_sizes(2 * poly_modulus_degree, bit_sizes);
}

std::vector<Modulus> CoeffModulus::Create(std::size_t poly_modulus_degree, const Modulus& plain_modulus,
                                          std::vector<int> bit_sizes) {
  check_request(poly_modulus_degree, bit_sizes);
  const std::uint64_t step = 2 * std::uint64_t(poly_modulus_degree), t = plain_modulus.value();
  if (t == 0) detail::refuse_argument("the plain modulus is 0", "set it first");
  return primes_of_sizes(util::mul_safe(step, t / std::gcd(t, step)), bit_sizes);
}

}  // namespace seal
