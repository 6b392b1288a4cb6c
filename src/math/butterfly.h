// SPDX-License-Identifier: Apache-2.0
// Butterflies, the steps of transforms that combine two values x and y, for scalars of any word type [Harvey14]. The
// factor w is a power of a root of unity. Forward butterflies are Cooley-Tukey: (x + w y, x - w y). Inverse butterflies
// are Gentleman-Sande: (x + y, (x - y) w). Residues are *lazy*: not fully reduced. The name states their range; b is
// the number of bits of a word:
//   lazy4: [0, 4q), q has up to b - 2 bits
//   lazy2: [0, 2q), q has up to b - 2 bits
//   full2: [0, 2q), q has up to b - 1 bits
// The kernels of backend/cpu do not use these functions: they have their own butterflies. Tests verify the functions,
// and other tests compare the kernels with the device ref.
#pragma once

#include "math/reduction_shoup.h"

namespace ringfort {

// The largest lengths of moduli q in bits. For kLazy4MaxBits, 4q fits into the word. For kFull2MaxBits, 2q fits into
// the word.
template <class W>
inline constexpr u32 kLazy4MaxBits = kWordBits<W> - 2;
template <class W>
inline constexpr u32 kFull2MaxBits = kWordBits<W> - 1;

// Forward butterfly. x and y are in [0, 4q) before and after it.
template <class W>
constexpr void forward_butterfly_lazy4(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W kept = subtract_if_not_below<W>(x, two_q);
  const W product = shoup_multiply_lazy2<W>(y, w, q);
  x = static_cast<W>(kept + product);
  y = static_cast<W>(kept + (two_q - product));
}

// Inverse butterfly. x and y are in [0, 2q) before and after it.
template <class W>
constexpr void inverse_butterfly_lazy2(W& x, W& y, const ShoupFactor<W>& w, W q) noexcept {
  const W two_q = static_cast<W>(q << 1);
  const W difference = static_cast<W>(x + (two_q - y));
  x = subtract_if_not_below<W>(static_cast<W>(x + y), two_q);
  y = shoup_multiply_lazy2<W>(difference, w, q);
}

// Forward and inverse butterflies that are correct even if x + y overflows the word. Before and after these
// butterflies, x and y are in [0, 2q).
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

// Reduces a residue from [0, 4q) to [0, q).
template <class W>
[[nodiscard]] constexpr W canonical_from_lazy4(W x, W q) noexcept {
  return subtract_if_not_below<W>(subtract_if_not_below<W>(x, static_cast<W>(q << 1)), q);
}

// Reduces a residue from [0, 2q) to [0, q).
template <class W>
[[nodiscard]] constexpr W canonical_from_lazy2(W x, W q) noexcept {
  return subtract_if_not_below<W>(x, q);
}

}  // namespace ringfort
