// SPDX-License-Identifier: Apache-2.0
// Coefficients of polynomials: their division by a basis element (x^k, or Chebyshev's polynomial T_k), and a bound on
// the absolute value of the polynomial. Nothing here is secret.
#pragma once

#include <vector>

#include "math/types.h"
#include "ringfort/circuit.h"

namespace ringfort::ckks {

using Coefficients = std::vector<double>;

// p = quotient B_g + remainder. B_k is the k-th element of the basis, and g <= degree < 2 g. The rounding of
// coefficients causes a difference between the two sides of this equation. `rounding` bounds the absolute value of this
// difference on [-1, 1].
struct Split {
  Coefficients quotient, remainder;
  double rounding = 0;
};
[[nodiscard]] Split split(Basis basis, const Coefficients& p, u32 g);

// Returns a bound on |sum c_k T_k(t)| for t in [-1, 1]. The bound is the largest value at N = 24 (degree + 1) Chebyshev
// points, divided by cos(pi degree / (2 N)) [EhlichZeller64]. For a degree below 1000, it is at most 1 % above the
// maximum.
[[nodiscard]] double largest_value(const Coefficients& p);

// Returns p without trailing zeros. At least one coefficient remains.
[[nodiscard]] Coefficients trimmed(Coefficients p);
// Returns g, the largest power of two below k. B_k is computed from the product of B_g and B_h, where h = k - g <= g.
[[nodiscard]] u32 larger_factor(u32 k) noexcept;
// Returns the depth of B_k (the number of levels that it takes), which is ceil(log2 k).
[[nodiscard]] u32 depth_of_element(u32 k) noexcept;
// Returns the number of levels that a polynomial of this degree takes, which is ceil(log2(degree + 1)).
[[nodiscard]] u32 depth_of_degree(std::size_t degree) noexcept;

// A way to divide a polynomial into parts. Parts of a degree up to `baby` are sums of multiples of basis elements.
// `products` is the number of products of ciphertexts that the evaluation takes.
struct Steps {
  u32 baby = 1;
  u32 products = 0;
};
// Returns the way with the fewest products.
[[nodiscard]] Steps best_steps(Basis basis, const Coefficients& p);
// Tells whether a part can be a sum of multiples of basis elements. The sum is `depth` levels below the argument.
[[nodiscard]] bool is_sum(const Coefficients& p, u32 depth, u32 baby) noexcept;

}  // namespace ringfort::ckks
