// SPDX-License-Identifier: Apache-2.0
// Tests whether numbers are prime, searches for roots of unity, and computes the reference transform one word at a
// time.
#include "codegen/roots.h"

#include <algorithm>
#include <array>

#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr std::array<u32, 16> kBases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

bool passes(const Modulus& q, u128 base, u128 odd, u32 twos) noexcept {
  u128 x = power(q, base, odd);
  const u128 minus_one = q.value() - 1;
  if (x == 1 || x == minus_one) return true;
  for (u32 i = 1; i < twos; ++i) {
    x = q.multiply(x, x);
    if (x == minus_one) return true;
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
  for (const u32 base : kBases)
    if (q % base == 0) return q == base;
  u128 odd = q - 1;
  u32 twos = 0;
  for (; (odd & 1) == 0; odd >>= 1) ++twos;
  const Modulus modulus(q);
  return std::all_of(kBases.begin(), kBases.end(), [&](u32 base) { return passes(modulus, base, odd, twos); });
}

u128 minimal_root(const Modulus& q, u32 n) {
  const u128 order = u128{2} * n;
  if (!is_probable_prime(q.value()) || (q.value() - 1) % order != 0)
    throw Refusal("the modulus is not a prime that is 1 modulo 2 n = " + std::to_string(2ULL * n),
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
