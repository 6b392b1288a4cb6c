// SPDX-License-Identifier: Apache-2.0
// Powers by repeated squaring. The loop begins with the lowest bit of the exponent. Therefore the depth of a partial
// power is at most the depth of the current square.
#pragma once

#include <optional>
#include <utility>

#include "math/types.h"
#include "ringfort/error.h"

namespace ringfort {

inline void require_exponent(u32 exponent) {
  if (exponent == 0)
    throw Error(Code::invalid_argument, "power was given the exponent 0", "the result is 1 for every value: encode 1");
}

// Returns base^exponent, exponent >= 1. X is a ciphertext or a vector of ciphertexts. clone(x) returns a copy,
// product(x, y) returns x y, and squared(x) returns x^2.
template <class X, class Clone, class Product, class Squared>
X power_by_squares(X base, u32 exponent, Clone clone, Product product, Squared squared) {
  require_exponent(exponent);
  X square = std::move(base);
  std::optional<X> result;
  for (u32 rest = exponent;; rest >>= 1) {
    if ((rest & 1) != 0) result = result ? product(*result, square) : clone(square);
    if (rest <= 1) return std::move(*result);
    square = squared(square);
  }
}

}  // namespace ringfort
