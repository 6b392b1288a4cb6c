// SPDX-License-Identifier: Apache-2.0
// Boundary primes and input patterns for the differential tests of backends. A boundary prime is next to a length at
// which a kernel can have its limit.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "differential/backend/device.h"
#include "math/prime.h"

namespace ringfort::testing {

inline constexpr u32 kModulusBits[3] = {31, 62, 127};

template <class W>
constexpr u32 modulus_bits() {
  return sizeof(W) == 4 ? 31 : sizeof(W) == 8 ? 62 : 127;
}

// Returns the smallest prime above 2^bits that is 1 mod 2n.
inline u128 prime_above(u32 bits, u32 n) {
  const u128 step = 2 * u128{n};
  u128 q = ((u128{1} << bits) / step + 1) * step + 1;
  while (!is_prime(q)) q += step;
  return q;
}

// Returns `wanted` primes q = 1 mod 2n. The list begins with the smallest such prime. For each bit length at which a
// kernel can have its limit, the largest prime below and the smallest prime above follow. Primes of random lengths
// complete the list.
template <class W>
std::vector<u128> boundary_primes(u32 n, std::size_t wanted) {
  const u32 most = modulus_bits<W>();
  std::vector<u32> lengths = {most, 30, 29, 46, 45, 47, 48, 42, 41, 49,  50,
                              51,   52, 53, 60, 61, 62, 63, 64, 65, 100, 126};
  std::vector<u128> primes;
  const auto keep = [&](u128 q) {
    if (q >> most == 0 && std::find(primes.begin(), primes.end(), q) == primes.end()) primes.push_back(q);
  };
  keep(prime_above(2, n));  // the smallest prime that is possible
  for (const u32 bits : lengths) {
    if (bits > most || (u128{1} << bits) <= 4 * u128{n}) continue;
    const auto below = ntt_primes(bits, n, 1);
    if (below.ok()) keep(below.value()[0]);
    if (bits < most) keep(prime_above(bits, n));
  }
  std::mt19937_64 random(n * 131 + most);
  for (u32 tries = 0; primes.size() < wanted && tries < 400; ++tries) {
    u32 least = 3;
    while ((u64{1} << least) <= 4 * u64{n}) ++least;
    keep(prime_above(least + static_cast<u32>(random() % (most - least)), n));
    const auto below = ntt_primes(least + 1 + static_cast<u32>(random() % (most - least)), n, 1 + tries / 40);
    if (below.ok()) keep(below.value().back());
  }
  if (primes.size() > wanted) primes.resize(wanted);
  return primes;
}

// Returns the largest prime c 2^16 + 1 below `bound` that is 1 mod 2n.
inline u128 short_prime_below(u64 bound, u32 n) {
  const u64 step = std::max<u64>(65536, 2 * u64{n});
  u64 q = (bound - 2) / step * step + 1;
  while (!is_prime(q)) q -= step;
  return q;
}

inline std::vector<u128> short_primes(u64 bound, u32 n, std::size_t count) {
  std::vector<u128> primes;
  for (; primes.size() < count; bound = static_cast<u64>(primes.back())) primes.push_back(short_prime_below(bound, n));
  return primes;
}

// Returns the primes c 2^16 + 1 at the limits of the kernels of `pim` for words of 32 bits. These are the largest prime
// below 2^30, the largest below 2^24, the smallest above 2^24, and the smallest of all.
inline std::vector<u128> limits(u32 n) {
  const u64 step = std::max<u64>(65536, 2 * u64{n});
  const auto above = [&](u64 bound) {
    u64 q = (bound + step - 1) / step * step + 1;
    while (!is_prime(q)) q += step;
    return u128{q};
  };
  return {short_prime_below(u64{1} << 30, n), short_prime_below(u64{1} << 24, n), above(u64{1} << 24), above(step)};
}

// Returns boundary_primes(). For u32 words, it also returns limits().
template <class W>
std::vector<u128> boundary_and_short_primes(u32 n, std::size_t wanted) {
  std::vector<u128> primes = boundary_primes<W>(n, wanted);
  if (sizeof(W) != 4) return primes;
  for (const u128 q : limits(n)) {
    if (std::find(primes.begin(), primes.end(), q) == primes.end()) primes.push_back(q);
  }
  return primes;
}

enum class Pattern { zero, one, largest, alternating, random, halves };
inline constexpr Pattern kPatterns[] = {Pattern::zero, Pattern::one, Pattern::largest, Pattern::alternating,
                                        Pattern::random};

// Returns x or q - x. x is a random odd multiple of a random power of two, or half of q, to which -1, 0 or 1 is added.
// The digits of a word change near these values.
inline u128 near_half(std::mt19937_64& random, u128 q) {
  unsigned bits = 0;
  while (q >> bits != 0) ++bits;
  const unsigned shift = static_cast<unsigned>(random() % bits);
  const u128 multiple = ((u128{random()} << 64 | random()) | 1) % (u128{1} << (bits - shift)) << shift;
  const u128 value = ((random() % 8 == 0 ? q / 2 : multiple) + random() % 3 + q - 1) % q;
  return random() % 2 == 0 || value == 0 ? value : q - value;
}

template <class W>
std::vector<W> filled(Pattern pattern, std::size_t count, u128 q, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<W> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const u128 word = u128{random()} << 64 | random();
    const u128 value = pattern == Pattern::zero      ? 0
                       : pattern == Pattern::one     ? 1
                       : pattern == Pattern::largest ? q - 1
                       : pattern == Pattern::random  ? word % q
                       : pattern == Pattern::halves  ? near_half(random, q)
                                                     : (i % 2 == 0 ? 0 : q - 1);
    values[i] = static_cast<W>(value);
  }
  return values;
}

inline std::string text_of(u128 value) {
  std::string digits;
  do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  while ((value /= 10) != 0);
  return digits;
}

inline std::string label(const TestDevice& device, u32 n, u128 q, Pattern pattern) {
  return device.name() + "/n=" + std::to_string(n) + "/q=" + text_of(q) +
         "/pattern=" + std::to_string(static_cast<int>(pattern));
}

}  // namespace ringfort::testing
