// SPDX-License-Identifier: Apache-2.0
// Powers by squares, each product relinearized.
#pragma once

#include "rlwe/integers/multiply.h"
#include "rlwe/integers/relinearize.h"
#include "rlwe/power.h"

namespace ringfort::integers {

// product(x, y): of two parts.
template <class C, class F>
C power_of(const C& a, u32 exponent, F product) {
  return power(a.clone(), exponent, [](const C& x) { return x.clone(); }, product, [&](const C& x) { return product(x, x); });
}

template <class S>
Ciphertext<S> Evaluator<S>::exponentiate(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const {
  (void)verbs::ring_for(context_, a, "exponentiate");
  const Block& block = a.state().block;
  require_two_parts(block, "exponentiate");
  require_key(block, key, "exponentiate");
  return power_of(a, exponent, [&](const C& x, const C& y) { return relinearize(multiply(x, y), key); });
}

}  // namespace ringfort::integers
