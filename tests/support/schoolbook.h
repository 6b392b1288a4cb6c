// SPDX-License-Identifier: Apache-2.0
// Polynomials modulo x^n + 1 in schoolbook arithmetic, for models of schemes. These models share only integer types
// with the library, so that a mistake of the library is not in the model too. Coefficients are centred integers modulo
// q < 2^62. Samplers use a standard generator. Products are computed term by term. The norm is the largest absolute
// value at the complex roots of x^n + 1; it is computed by plain sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "math/types.h"

namespace ringfort::testing {

using Coefficients = std::vector<i64>;

class Schoolbook {
 public:
  explicit Schoolbook(u32 degree) : n(degree), random_(degree) {}
  const u32 n;

  Coefficients ternary() {
    return filled([&] { return static_cast<i64>(random_() % 3) - 1; });
  }
  // Draws errors as the library does: centred binomial with k = 21 pairs of bits, variance 10.5.
  Coefficients error() {
    return filled(
        [&] { return i64{__builtin_popcountll(random_() & 0x1FFFFF)} - __builtin_popcountll(random_() & 0x1FFFFF); });
  }
  Coefficients uniform(i64 q) {
    return times(filled([&] { return static_cast<i64>(random_() % static_cast<u64>(q)); }), 1, q);
  }

  [[nodiscard]] Coefficients product(const Coefficients& a, const Coefficients& b, i64 q) const {
    std::vector<i128> out(n);
    for (u32 i = 0; i < n; ++i) {
      for (u32 j = 0; j < n; ++j) {
        const i128 term = static_cast<i128>(a[i]) * b[j];
        i128& at = out[(i + j) % n];
        at = (at + (i + j < n ? term : -term)) % q;
      }
    }
    return centred(out, q);
  }
  // Multiplies over the integers. The result must fit into 127 bits.
  [[nodiscard]] std::vector<i128> product(const Coefficients& a, const Coefficients& b) const {
    std::vector<i128> out(n);
    for (u32 i = 0; i < n; ++i) {
      for (u32 j = 0; j < n; ++j)
        out[(i + j) % n] += i + j < n ? static_cast<i128>(a[i]) * b[j] : -static_cast<i128>(a[i]) * b[j];
    }
    return out;
  }
  [[nodiscard]] Coefficients sum(const Coefficients& a, const Coefficients& b, i64 q) const {
    std::vector<i128> out(n);
    for (u32 i = 0; i < n; ++i) out[i] = static_cast<i128>(a[i]) + b[i];
    return centred(out, q);
  }
  [[nodiscard]] Coefficients times(const Coefficients& a, i64 factor, i64 q) const {
    std::vector<i128> out(n);
    for (u32 i = 0; i < n; ++i) out[i] = static_cast<i128>(a[i]) * factor;
    return centred(out, q);
  }
  [[nodiscard]] static Coefficients centred(const std::vector<i128>& a, i64 q) {
    Coefficients out;
    for (const i128 x : a) {
      const i64 residue = static_cast<i64>((x % q + q) % q);
      out.push_back(residue > q / 2 ? residue - q : residue);
    }
    return out;
  }
  [[nodiscard]] Coefficients phase(const Coefficients& c0, const Coefficients& c1, const Coefficients& s, i64 q) const {
    return sum(c0, product(c1, s, q), q);
  }
  // Returns x / p, rounded to the nearest integer. p must be odd.
  [[nodiscard]] static i128 divided(i128 x, i64 p) { return (x - ((x % p + p + p / 2) % p - p / 2)) / p; }
  [[nodiscard]] static Coefficients divided(Coefficients a, i64 p) {
    for (i64& x : a) x = static_cast<i64>(divided(i128{x}, p));
    return a;
  }

  // Returns the largest absolute value of the polynomial at the roots of x^n + 1.
  template <class Number>
  [[nodiscard]] double norm(const std::vector<Number>& a) const {
    double largest = 0;
    for (u32 root = 1; root < n; root += 2) {
      std::complex<double> value;
      for (u32 k = 0; k < n; ++k)
        value += static_cast<double>(a[k]) * std::polar(1.0, std::numbers::pi * (u64{root} * k % (2 * n)) / n);
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  }

 private:
  template <class Draw>
  Coefficients filled(Draw draw) {
    Coefficients out(n);
    for (i64& x : out) x = draw();
    return out;
  }
  std::mt19937_64 random_;
};

inline constexpr i64 kPrime0 = 1032193, kPrime1 = 995329, kPrime2 = 1038337;  // primes of 20 bits, 1 mod 2048

}  // namespace ringfort::testing
