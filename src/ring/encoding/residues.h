// SPDX-License-Identifier: Apache-2.0
// Sums and differences of residues modulo any q < 2^63 (add64 and subtract64 in kernels.h). The difference of a sum and
// q, and the difference of two residues, are in [-q, q). Their highest bit is set if q must be added.
#pragma once

#include "ring/encoding/vectors.h"

namespace ringfort::encoding {

namespace {

template <class Lanes>
struct Residues {
  using V = typename Lanes::V;

  static void add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, std::uint64_t q) {
    each(out, a, b, n, [q](auto x, auto y) { return corrected(x + y - q, q); });
  }
  static void subtract(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                       std::uint64_t q) {
    each(out, a, b, n, [q](auto x, auto y) { return corrected(x - y, q); });
  }

 private:
  template <class X>
  [[gnu::always_inline]] static X corrected(X difference, std::uint64_t q) {
    return difference + (q & (0 - (difference >> 63)));
  }
  template <class F>
  [[gnu::always_inline]] static void each(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b,
                                          std::size_t n, F f) {
    std::size_t i = 0;
    for (; i + Lanes::kLanes <= n; i += Lanes::kLanes) store(out + i, f(load<V>(a + i), load<V>(b + i)));
    for (; i < n; ++i) out[i] = f(a[i], b[i]);
  }
};

}  // namespace

}  // namespace ringfort::encoding
