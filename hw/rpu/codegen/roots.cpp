// SPDX-License-Identifier: Apache-2.0
// Tests whether numbers are prime [BaillieWagstaff80], searches for roots of unity, and computes the reference
// transform one word at a time.
#include "codegen/roots.h"

#include <algorithm>
#include <array>

#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr std::array<u32, 12> kSmallPrimes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

// q - 1 or q + 1, as odd * 2^twos.
struct Split {
  explicit Split(u128 x) noexcept : odd(x) {
    for (; (odd & 1) == 0; odd >>= 1) ++twos;
  }
  u128 odd;
  u32 twos = 0;
};

bool is_strong_probable_prime(const Modulus& q, u128 base) noexcept {
  const u128 minus_one = q.value() - 1;
  const Split below(minus_one);
  u128 x = power(q, base, below.odd);
  if (x == 1 || x == minus_one) return true;
  for (u32 i = 1; i < below.twos; ++i) {
    x = q.multiply(x, x);
    if (x == minus_one) return true;
  }
  return false;
}

// Returns the Jacobi symbol (a | m) for odd m.
int jacobi(u128 a, u128 m) noexcept {
  int sign = 1;
  for (a %= m; a != 0; a %= m) {
    for (; (a & 1) == 0; a >>= 1)
      if (const u32 eighth = static_cast<u32>(m & 7); eighth == 3 || eighth == 5) sign = -sign;
    std::swap(a, m);
    if ((a & 3) == 3 && (m & 3) == 3) sign = -sign;
  }
  return m == 1 ? sign : 0;
}

bool is_square(u128 x) noexcept {
  u128 root = 0;
  for (u128 bit = u128{1} << 63; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= x) root |= bit;
  return root * root == x;
}

// Returns Selfridge's D modulo q: the first of 5, -7, 9, -11, ... with (D | q) = -1. Returns 0 if the search finds a
// factor of q, or if q is a square, which has no D.
u128 discriminant(const Modulus& q) noexcept {
  if (is_square(q.value())) return 0;
  for (u32 magnitude = 5;; magnitude += 2) {
    const u128 d = magnitude % 4 == 1 ? magnitude : q.value() - magnitude;
    const int symbol = jacobi(d, q.value());
    if (symbol != 1) return symbol == -1 ? d : 0;
  }
}

u128 half(const Modulus& q, u128 x) noexcept {  // x / 2 mod q
  return (x >> 1) + ((x & 1) != 0 ? (q.value() >> 1) + 1 : 0);
}

// The Lucas sequences U and V of P = 1 and Q = (1 - D) / 4, at an index, and Q to the power of the index.
struct Lucas {
  void square(const Modulus& q) noexcept {  // doubles the index
    u = q.multiply(u, v);
    v = q.subtract(q.multiply(v, v), q.add(q_power, q_power));
    q_power = q.multiply(q_power, q_power);
  }
  void step(const Modulus& q, u128 d, u128 q_parameter) noexcept {  // adds one to the index
    const u128 sum = q.add(u, v), weighted = q.add(q.multiply(d, u), v);
    u = half(q, sum), v = half(q, weighted);
    q_power = q.multiply(q_power, q_parameter);
  }
  u128 u, v, q_power;
};

// Requires that q + 1 fits in 128 bits and that no number up to 37 divides q.
bool is_strong_lucas_probable_prime(const Modulus& q) noexcept {
  const u128 d = discriminant(q);
  if (d == 0) return false;
  const u128 q_parameter = half(q, half(q, q.subtract(1, d)));
  const Split above(q.value() + 1);
  Lucas at{1, 1, q_parameter};
  u32 bit = 0;
  while ((above.odd >> bit) > 1) ++bit;
  while (bit-- > 0) {
    at.square(q);
    if ((above.odd >> bit & 1) != 0) at.step(q, d, q_parameter);
  }
  if (at.u == 0 || at.v == 0) return true;
  for (u32 i = 1; i < above.twos; ++i) {
    at.square(q);
    if (at.v == 0) return true;
  }
  return false;
}

}  // namespace

u128 power(const Modulus& q, u128 base, u128 exponent) noexcept {
  u128 result = 1 % q.value(), square = q.multiply(base, 1);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = q.multiply(result, square);
    square = q.multiply(square, square);
  }
  return result;
}

bool is_probable_prime(u128 q) noexcept {
  if (q < 2) return false;
  for (const u32 prime : kSmallPrimes)
    if (q % prime == 0) return q == prime;
  if (q < 41 * 41) return true;
  const Modulus modulus(q);
  return is_strong_probable_prime(modulus, 2) && is_strong_lucas_probable_prime(modulus);
}

u128 minimal_root(const Modulus& q, u32 n) {
  const u128 order = u128{2} * n;
  if (!is_probable_prime(q.value()) || (q.value() - 1) % order != 0)
    throw Refusal("the modulus is not a prime that is 1 modulo " + std::to_string(2ULL * n),
                  "choose an NTT prime for this n");
  u128 candidate = 1;
  u128 root = 0;
  do root = power(q, ++candidate, (q.value() - 1) / order);
  while (power(q, root, n) != q.value() - 1);
  const u128 step = q.multiply(root, root);
  u128 least = root;
  for (u32 i = 1; i < n; ++i) {
    root = q.multiply(root, step);
    least = std::min(least, root);
  }
  return least;
}

u128 largest_prime(u32 bits, u32 step) {
  const u128 limit = bits >= 2 && bits <= 128 ? ~u128{0} >> (128 - bits) : 0;
  for (u128 q = (limit - 1) / step * step + 1; limit != 0 && q > step; q -= step)
    if (is_probable_prime(q)) return q;
  throw Refusal("no prime of " + std::to_string(bits) + " bits is 1 modulo " + std::to_string(step),
                "ask for more bits, at most 128, or a smaller n");
}

void reference_transform(const Modulus& q, std::span<const u128> roots, std::span<u128> x) noexcept {
  const std::size_t n = x.size();
  for (std::size_t groups = 1, half = n / 2; groups < n; groups *= 2, half /= 2)
    for (std::size_t i = 0; i < n / 2; ++i) {
      const std::size_t group = i / half, low = group * 2 * half + i % half;
      const u128 addend = x[low], product = q.multiply(x[low + half], roots[groups + group]);
      x[low] = q.add(addend, product);
      x[low + half] = q.subtract(addend, product);
    }
}

u128 evaluate(const Modulus& q, std::span<const u128> coefficients, u128 point) noexcept {
  u128 value = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) value = q.add(q.multiply(value, point), coefficients[i]);
  return value;
}

}  // namespace ringfort::rpu
