// SPDX-License-Identifier: Apache-2.0
// Reference arithmetic, with which tests compare the kernels. It reduces products with the operator %, and finds primes
// by trial division. It computes whole transforms by splitting the modulus, and single values by the definition. It is
// simple, and shares no code with the kernels.
#pragma once

#include <utility>
#include <vector>

#include "sim/words.h"

namespace ringfort::pim::testing {

inline u64 product_mod(u64 a, u64 b, u64 q) {
  if ((a | b) >> 32 == 0) return a * b % q;
  return static_cast<u64>(static_cast<unsigned __int128>(a) * b % q);
}

inline u64 power_mod(u64 base, u64 exponent, u64 q) {
  u64 result = 1 % q;
  for (; exponent != 0; exponent >>= 1, base = product_mod(base, base, q)) {
    if ((exponent & 1) != 0) result = product_mod(result, base, q);
  }
  return result;
}

inline bool is_prime(u64 n) {
  for (u64 d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

// Returns the largest prime below `bound` that is 1 mod `step`.
inline u32 prime_below(u64 bound, u64 step) {
  u64 q = (bound - 2) / step * step + 1;
  while (!is_prime(q)) q -= step;
  return static_cast<u32>(q);
}

// Returns the smallest primitive 2n-th root of unity.
inline u32 minimal_root(u32 q, u32 n) {
  u64 base = 2;
  while (power_mod(base, (q - 1) / 2, q) == 1) ++base;
  const u64 root = power_mod(base, (q - 1) / (2 * n), q);
  u64 least = root, power = root;
  const u64 square = product_mod(root, root, q);
  for (u32 i = 1; i < n; ++i) {
    power = product_mod(power, square, q);
    least = power < least ? power : least;
  }
  return static_cast<u32>(least);
}

inline u32 reversed_bits(u32 value, u32 n) {
  u32 result = 0;
  for (u32 bit = 1; bit < n; bit <<= 1, value >>= 1) result = result << 1 | (value & 1);
  return result;
}

// Returns the negacyclic transform in bit-reversed order: X[reversed(i)] = sum a[j] root^((2i + 1) j). Each step splits
// the modulus: a mod (x^n - w^2) gives a mod (x^(n/2) - w) and a mod (x^(n/2) + w).
inline std::vector<u32> negacyclic_transform(std::vector<u32> a, u32 root, u32 q) {
  const u32 n = static_cast<u32>(a.size());
  for (u32 length = n / 2, groups = 1; length >= 1; length /= 2, groups *= 2) {
    for (u32 group = 0; group < groups; ++group) {
      const u64 w = power_mod(root, reversed_bits(groups + group, 2 * n) / 2, q);
      for (u32 j = 2 * group * length; j < (2 * group + 1) * length; ++j) {
        const u64 low = a[j], high = product_mod(a[j + length], w, q);
        a[j] = static_cast<u32>((low + high) % q);
        a[j + length] = static_cast<u32>((low + q - high) % q);
      }
    }
  }
  return a;
}

// Returns the value at index `index` of the negacyclic transform, computed by the definition.
inline u32 transform_value(const std::vector<u32>& a, u32 root, u32 q, u32 index) {
  const u32 n = static_cast<u32>(a.size());
  const u64 point = power_mod(root, 2 * reversed_bits(index, n) + 1, q);
  u64 sum = 0;
  for (u32 j = n; j-- > 0;) sum = (product_mod(sum, point, q) + a[j]) % q;
  return static_cast<u32>(sum);
}

}  // namespace ringfort::pim::testing
