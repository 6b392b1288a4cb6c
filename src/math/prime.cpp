// SPDX-License-Identifier: Apache-2.0
// Primality tests and minimal roots of unity (prime.h). Below 2^64, the test is Miller-Rabin with the first twelve
// primes as bases. This test is exact below 3.18 * 10^23 [SorensonWebster17]. From 2^64 on, the test is Baillie-PSW: a
// strong probable-prime test to base 2, and a strong Lucas test with Selfridge's parameters [BaillieWagstaff80]. Powers
// are computed in Montgomery form. Moduli are public. Therefore the time may depend on the values.
#include "math/prime.h"

#include <array>
#include <string>
#include <utility>

#include "math/decimal.h"
#include "math/reduction_montgomery.h"

namespace ringfort {

namespace {

constexpr std::array<u32, 12> kBases = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
constexpr std::size_t kMostPrimes = 1u << 20;

// Tells whether q is a strong probable prime to `base`. The modulus q is odd, and `base` is not a multiple of q.
template <class W>
bool strong_miller_rabin(const Montgomery<W>& mont, W base) noexcept {
  const W q = mont.modulus(), minus_one = static_cast<W>(q - mont.one());
  u32 twos = 0;
  W odd = q - 1;
  for (; (odd & 1) == 0; odd >>= 1) ++twos;
  W x = mont.power(mont.to_form(base), odd);
  if (x == mont.one() || x == minus_one) return true;
  for (u32 i = 1; i < twos; ++i) {
    x = mont.multiply(x, x);
    if (x == minus_one) return true;
  }
  return false;
}

// Returns the Jacobi symbol (a | m) for odd m.
int jacobi(u128 a, u128 m) noexcept {
  int sign = 1;
  for (a %= m; a != 0; a %= m) {
    for (; (a & 1) == 0; a >>= 1) {
      if ((m & 7) == 3 || (m & 7) == 5) sign = -sign;
    }
    std::swap(a, m);
    if ((a & 3) == 3 && (m & 3) == 3) sign = -sign;
  }
  return m == 1 ? sign : 0;
}

bool is_square(u128 x) noexcept {
  u128 root = 0;
  for (u128 bit = u128(1) << 63; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= x) root |= bit;
  }
  return root * root == x;
}

// Returns Selfridge's D, the first of 5, -7, 9, -11, ... with (D | q) = -1. Returns 0 if the search proves that q is
// composite.
i64 selfridge_discriminant(u128 q) noexcept {
  for (i64 magnitude = 5;; magnitude += 2) {
    const bool positive = magnitude % 4 == 1;
    const u128 residue = positive ? static_cast<u128>(magnitude) : q - static_cast<u128>(magnitude);
    const int symbol = jacobi(residue, q);
    if (symbol == -1) return positive ? magnitude : -magnitude;
    if (symbol == 0) return 0;                      // q and D share a factor; it is proper, because q > |D|
    if (magnitude == 41 && is_square(q)) return 0;  // a square has no D
  }
}

u128 residue_of(const Montgomery<u128>& mont, i64 x) noexcept {
  const u128 magnitude = mont.to_form(static_cast<u128>(x < 0 ? -x : x));
  return x < 0 ? negate_mod<u128>(magnitude, mont.modulus()) : magnitude;
}

u128 halve(u128 x, u128 q) noexcept {  // x / 2 mod q without overflow
  return (x >> 1) + ((q >> 1) + 1) * (x & 1);
}

bool strong_lucas(const Montgomery<u128>& mont) noexcept {
  const u128 q = mont.modulus();
  const i64 d = selfridge_discriminant(q);
  if (d == 0) return false;
  const u128 q_param = residue_of(mont, (1 - d) / 4), d_form = residue_of(mont, d);
  u32 twos = 0;
  u128 odd = q + 1;
  if (odd == 0) {  // q = 2^128 - 1, a multiple of 3
    return false;
  }
  for (; (odd & 1) == 0; odd >>= 1) ++twos;
  u128 u = mont.one(), v = mont.one(), q_power = q_param;  // U_1, V_1, Q^1
  for (u32 i = bit_length(odd) - 1; i-- > 0;) {
    u = mont.multiply(u, v);
    v = subtract_mod(mont.multiply(v, v), add_mod(q_power, q_power, q), q);
    q_power = mont.multiply(q_power, q_power);
    if ((odd >> i & 1) != 0) {
      const u128 sum = add_mod(u, v, q), weighted = add_mod(mont.multiply(d_form, u), v, q);
      u = halve(sum, q);
      v = halve(weighted, q);
      q_power = mont.multiply(q_power, q_param);
    }
  }
  if (u == 0 || v == 0) return true;
  for (u32 i = 1; i < twos; ++i) {
    v = subtract_mod(mont.multiply(v, v), add_mod(q_power, q_power, q), q);
    if (v == 0) return true;
    q_power = mont.multiply(q_power, q_power);
  }
  return false;
}

Failure refuse(Code code, std::string problem, std::string fix) { return {code, std::move(problem), std::move(fix)}; }

bool is_power_of_two(u64 n) noexcept { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

bool is_prime(u128 value) noexcept {
  if (value < 2) return false;
  for (u32 p : kBases) {
    if (value % p == 0) return value == p;
  }
  if (value >> 64 == 0) {
    const Montgomery<u64> mont(static_cast<u64>(value));
    for (u32 base : kBases) {
      if (!strong_miller_rabin<u64>(mont, base)) return false;
    }
    return true;
  }
  const Montgomery<u128> mont(value);
  return strong_miller_rabin<u128>(mont, 2) && strong_lucas(mont);
}

bool is_strong_probable_prime(u128 value, u32 base) noexcept {
  return strong_miller_rabin<u128>(Montgomery<u128>(value), base);
}

bool is_strong_lucas_probable_prime(u128 value) noexcept { return strong_lucas(Montgomery<u128>(value)); }

Result<std::vector<u128>> ntt_primes(u32 bits, u64 n, std::size_t count) {
  if (bits < 2 || bits > 128) {
    return refuse(Code::invalid_argument, "primes of " + std::to_string(bits) + " bits were requested",
                  "choose 2 to 128 bits");
  }
  if (!is_power_of_two(n)) {
    return refuse(Code::invalid_argument, "n = " + std::to_string(n) + " is not a power of two",
                  "choose a power of two");
  }
  if (count > kMostPrimes) {
    return refuse(Code::invalid_argument, std::to_string(count) + " primes were requested",
                  "ask for at most " + std::to_string(kMostPrimes));
  }
  const u128 step = u128(n) * 2;
  const u128 largest = bits == 128 ? ~u128(0) : (u128(1) << bits) - 1;
  std::vector<u128> found;
  if (count == 0) return found;
  for (u128 k = (largest - 1) / step; k > 0; --k) {
    if (!is_prime(k * step + 1)) continue;
    found.push_back(k * step + 1);
    if (found.size() == count) return found;
  }
  return refuse(Code::unsupported,
                std::to_string(count) + " primes below 2^" + std::to_string(bits) + " that are 1 mod " + decimal(step) +
                    " are needed, but there are only " + std::to_string(found.size()),
                "use fewer primes, more bits, or a smaller n");
}

// The extended algorithm of Euclid. `value` times the weight of a remainder is the remainder, modulo the modulus.
std::optional<u64> inverse_mod(u64 value, u64 modulus) noexcept {
  u64 larger = modulus, smaller = value;
  i128 larger_weight = 0, weight = 1;
  while (smaller != 0) {
    const u64 quotient = larger / smaller;
    larger -= quotient * smaller;
    larger_weight -= quotient * weight;
    std::swap(larger, smaller);
    std::swap(larger_weight, weight);
  }
  if (larger != 1) return std::nullopt;
  return static_cast<u64>(larger_weight < 0 ? larger_weight + modulus : larger_weight % modulus);
}

Result<u128> minimal_root(u128 q, u64 n) {
  if (!is_power_of_two(n)) {
    return refuse(Code::invalid_argument, "n = " + std::to_string(n) + " is not a power of two",
                  "choose a power of two");
  }
  if (q % (u128(n) * 2) != 1 || !is_prime(q)) {
    return refuse(Code::invalid_argument, "q = " + decimal(q) + " is not a prime that is 1 mod " + decimal(u128(n) * 2),
                  "take one from primes(bits, n, count)");
  }
  const Montgomery<u128> mont(q);
  const u128 minus_one = q - mont.one();
  const u128 cofactor = (q - 1) / (u128(n) * 2);
  u128 root = 0;  // a power of a non-residue; half of all bases give such a power
  for (u128 base = 2; root == 0; ++base) {
    const u128 candidate = mont.power(mont.to_form(base), cofactor);
    if (mont.power(candidate, n) == minus_one) root = candidate;
  }
  const u128 step = mont.multiply(root, root);
  u128 power = mont.from_form(root), smallest = power;
  for (u64 i = 1; i < n; ++i) {          // all primitive 2n-th roots are odd powers
    power = mont.multiply(power, step);  // `step` is in Montgomery form; `power` and the product are not
    smallest = power < smallest ? power : smallest;
  }
  return smallest;
}

}  // namespace ringfort
