// SPDX-License-Identifier: Apache-2.0
// Powers by squares, each product relinearized.
#pragma once

#include "rlwe/integers/multiply.h"
#include "rlwe/integers/relinearize.h"

namespace ringfort::integers {

inline void require_exponent(u32 exponent) {
  if (exponent == 0) throw Error(Code::invalid_argument, "exponentiate was given the exponent 0", "the result is 1 for every value: encode that");
}

// By squares; products(x, y) of two parts.
template <class C, class F>
C power(const C& a, u32 exponent, F product) {
  require_exponent(exponent);
  C square = a.clone(), result;
  for (u32 rest = exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result = result.size() == 0 ? square.clone() : product(result, square);
    if (rest > 1) square = product(square, square);
  }
  return result;
}

template <class S>
Ciphertext<S> Evaluator<S>::exponentiate(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const {
  (void)verbs::ring_for(context_, a, "exponentiate");
  const Block& block = a.state().block;
  require_two_parts(block, "exponentiate");
  require_key(block, key, "exponentiate");
  return power(a, exponent, [&](const C& x, const C& y) { return relinearize(multiply(x, y), key); });
}

}  // namespace ringfort::integers
