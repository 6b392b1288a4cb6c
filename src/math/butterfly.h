// SPDX-License-Identifier: Apache-2.0
// Butterflies on lazy residues, scalar and for any word [Harvey14]. The lazy range is in the name (b: bits of a word):
//   lazy4: [0, 4q), q up to b - 2 bits   lazy2: [0, 2q), q up to b - 2 bits   full2: [0, 2q), q up to b - 1 bits
// Forward is Cooley-Tukey (x + w y, x - w y), inverse Gentleman-Sande (x + y, (x - y) w). Tests verify these
// definitions. The kernels of backend/cpu do not use them; tests compare the kernels with device ref.
#pragma once

#include "math/reduction_shoup.h"

namespace ringfort {

// Largest lengths of moduli q in bits: 4q fits the word for kLazy4MaxBits, 2q for kFull2MaxBits.
template <class W>
inline constexpr u32 kLazy4MaxBits = kWordBits<W> - 2;
template <class W>
inline constexpr u32 kFull2MaxBits = kWordBits<W> - 1;

// Forward; x, y in [0, 4q) on entry and return.
template <class W>
constexpr void forward_butterfly_lazy4(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W kept = subtract_if_not_below<W>(x, two_q);
  const W product = shoup_multiply_lazy2<W>(y, w, q);
  x = static_cast<W>(kept + product);
  y = static_cast<W>(kept + (two_q - product));
}

// Inverse; x, y in [0, 2q) on entry and return.
template <class W>
constexpr void inverse_butterfly_lazy2(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W difference = static_cast<W>(x + (two_q - y));
  x = subtract_if_not_below<W>(static_cast<W>(x + y), two_q);
  y = shoup_multiply_lazy2<W>(difference, w, q);
}

// Forward and inverse; work even if x + y overflows the word; x, y in [0, 2q) on entry and return.
template <class W>
constexpr void forward_butterfly_full2(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W product = shoup_multiply_lazy2<W>(y, w, q);
  y = subtract_mod<W>(x, product, two_q);
  x = add_mod<W>(x, product, two_q);
}

template <class W>
constexpr void inverse_butterfly_full2(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W difference = subtract_mod<W>(x, y, two_q);
  x = add_mod<W>(x, y, two_q);
  y = shoup_multiply_lazy2<W>(difference, w, q);
}

// Reduces [0, 4q) to [0, q).
template <class W>
[[nodiscard]] constexpr W canonical_from_lazy4(W x, W q) noexcept {
  return subtract_if_not_below<W>(subtract_if_not_below<W>(x, static_cast<W>(q << 1)), q);
}

// Reduces [0, 2q) to [0, q).
template <class W>
[[nodiscard]] constexpr W canonical_from_lazy2(W x, W q) noexcept {
  return subtract_if_not_below<W>(x, q);
}

}  // namespace ringfort
