// SPDX-License-Identifier: Apache-2.0
// Bounds of errors in the canonical embedding. The norm of a polynomial e is the largest |e(zeta)| over the complex
// roots zeta of x^n + 1. The norm of a product is at most the product of the norms. An automorphism does not change a
// norm. No coefficient exceeds the norm.
//
// For one random polynomial, the norm exceeds its bound with probability at most 2^-150. Therefore, in a program with
// 2^22 random polynomials, the probability that some norm exceeds its bound is at most 2^-128. The polynomials of the
// program's keys count too. A verb adds at most three random polynomials (in BFV's product: two phases and a rounding),
// and one for each key switch. 2^kVerbBits verbs may have kMostKeySwitchesOfAVerb key switches each. The random
// polynomials are secrets, errors, and the uniform components of keys and ciphertexts. Plaintexts must be independent
// of all random polynomials. Two operands of a verb may be equal. The count is the same for ciphertexts of any number
// of components: their phase, or the rounding of all their components, is one polynomial. The powers of the secret in
// it add none, because they are bounded by powers of the bound of the secret, which counts as one of the keys. If BFV
// cuts a factor of a product into parts, it rounds up to four times. The product then adds six polynomials, and no key
// switches.
#pragma once

#include <limits>
#include <span>

#include "math/types.h"

namespace ringfort {

// A program with at most 2^kUnionBits random polynomials fails with probability at most 2^-kFailureBits.
inline constexpr u32 kFailureBits = 128, kUnionBits = 22;
inline constexpr u32 kVerbBits = 19, kMostKeySwitchesOfAVerb = 4, kMostPolynomialsOfAVerb = 3 + kMostKeySwitchesOfAVerb;

// A number >= 0. It is stored as its base-2 logarithm, because the largest moduli exceed the range of a double. The
// functions of() and operator+ increase the logarithm by 2^-40, which covers rounding errors.
struct Bound {
  double log2 = -std::numeric_limits<double>::infinity();
  [[nodiscard]] static Bound of(double value) noexcept;  // value >= 0
  [[nodiscard]] static Bound power_of_two(double exponent) noexcept { return {exponent}; }
  [[nodiscard]] static Bound unknown() noexcept { return {std::numeric_limits<double>::infinity()}; }
  [[nodiscard]] double value() const noexcept;  // infinity if it exceeds a double
  auto operator<=>(const Bound&) const = default;
};

[[nodiscard]] Bound operator+(Bound a, Bound b) noexcept;
[[nodiscard]] inline Bound operator*(Bound a, Bound b) noexcept { return {a.log2 + b.log2}; }
[[nodiscard]] inline Bound operator/(Bound a, Bound b) noexcept { return {a.log2 - b.log2}; }

inline constexpr double kTernaryVariance = 2.0 / 3.0;
// Variance of the error of rounding a uniform value to an integer.
inline constexpr double kRoundingVariance = 1.0 / 12.0;

// Bounds for ring degree n. Let E be the expectation. Take a polynomial whose coefficients c are independent, of
// variance v, and strictly sub-Gaussian: E exp(x c) <= exp(x^2 v / 2) for every x. Centred binomial, ternary and
// uniform coefficients are of this kind. The polynomial's value at a root is a vector e in the plane. Every vector u
// satisfies E exp(u . e) <= exp(|u|^2 n v / 4). It follows that E exp(mu |e|^2 / n v) <= 1 / (1 - mu) for 0 <= mu < 1.
// Now let v(a) be the variance of the coefficients of a. A sum e + sum_i a_i b_i of such polynomials satisfies
//   log E exp(u . sum) <= |u|^2 n v / 4 - sum_i log(1 - |u|^2 s_i^2 / 4),   s_i = n sqrt(v(a_i) v(b_i)).
// We apply Chernoff's bound in 32 directions of the plane, and at n/2 roots (the others are their conjugates). A vector
// is at most 1 / cos(pi / 32) times as long as its largest component in these directions. The product of the norms of
// a_i and b_i would be a bound larger by one or two bits.
class EmbeddingBound {
 public:
  explicit EmbeddingBound(u32 n);

  [[nodiscard]] Bound random(double variance) const noexcept;  // sqrt(n v log(16 n 2^150)) / cos(pi / 32)
  [[nodiscard]] Bound secret() const noexcept { return random(kTernaryVariance); }
  // Returns the bound for any polynomial whose coefficients are at most `largest` in absolute value. The bound is
  // largest / sin(pi / 2n), which is about 2 n / pi times `largest`.
  [[nodiscard]] Bound any(Bound largest) const noexcept;

  // The next functions return the bound of the error of an encryption of zero. Under the secret key, the error is
  // an error polynomial e. Under the public key, it is r e' + e_0 + e_1 s: r is ternary, and e' is the error in the
  // public key.
  [[nodiscard]] Bound fresh_secret() const noexcept;
  [[nodiscard]] Bound fresh_public() const noexcept;
  // Returns the bound of the error under the public key after a division by a prime: the error above divided by the
  // prime, and the rounding error of both components. log2_divisor: log2 of the prime.
  [[nodiscard]] Bound fresh_public(double log2_divisor) const noexcept {
    return fresh_public() / Bound::power_of_two(log2_divisor) + rounding(2);
  }
  // Returns the bound of the error that rounding all components (2 or more) to integers adds to the phase. With
  // rounding errors tau_i, this error is the sum of all tau_i s^i. For a given s, its value at a root is sub-Gaussian,
  // with n v / 2 times the sum of all |s|^2i as its variance in any direction. Let S be the bound of |s|. |s|^2i is at
  // most S^(2i - 2) |s|^2 for i >= 1. Therefore tau_1 s .. tau_(k-1) s^(k-1) together are bounded as one term tau s,
  // where tau has 1 + S^2 + .. + S^(2k - 4) times the variance v of a rounding error.
  [[nodiscard]] Bound rounding(u32 components) const noexcept;
  // Returns the bound of a phase, in units of Q. The components must be uniform modulo Q, and centred. The formula is
  // that of rounding().
  [[nodiscard]] Bound uniform_phase(u32 components) const noexcept { return rounding(components); }
  // Returns the bound of the error of a key switch. The error has two parts. One part is the sum of e_d times digit d,
  // divided by the product of the special primes. Here e_d is the error in the key's row for digit d. The other part is
  // the rounding error of both components of the result. Digit d is centred and uniform modulo D_d. log2_digits: log2
  // of each D_d. log2_divisor: log2 of the product of the special primes.
  [[nodiscard]] Bound key_switch(std::span<const double> log2_digits, double log2_divisor) const noexcept;

 private:
  // Returns Chernoff's bound of e + sum_i a_i b_i, as derived above. normal: n v, where v is the variance of e.
  // products: the s_i.
  [[nodiscard]] Bound tail(double normal, std::span<const double> products) const noexcept;
  double n_;
  double log_events_;  // natural logarithm
  double log2_any_;
};

}  // namespace ringfort
