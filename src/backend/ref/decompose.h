// SPDX-License-Identifier: Apache-2.0
// The digits of one residue on device `ref`, by the definition of Gadget (backend/verbs.h). For centred digits, x is
// first lifted to (-q/2, q/2). B is 2^base_bits.
//   plain:   y = floor(x / 2^shift),          d_j = floor(y / B^j) mod B
//   centred: y = floor(x / 2^shift + 1/2),    d_j = (y_j + B/2) mod B - B/2,  y_(j+1) = (y_j - d_j) / B,  last: d = y_j
// Halves round up. "mod" is the non-negative remainder. The code calls `store` with each digit as a residue mod q.
#pragma once

#include "backend/backend.h"

namespace ringfort::ref {

inline i128 floor_shift(i128 value, u32 shift) { return value >> shift; }  // arithmetic shift rounds down (C++20)

template <class W, class Store>
void digits_of(W residue, W q, const Gadget& gadget, Store store) {
  i128 y = static_cast<i128>(residue);
  if (gadget.centred) {
    if (residue > q / 2) y -= static_cast<i128>(q);
    if (gadget.shift > 0) y = floor_shift(floor_shift(y, gadget.shift - 1) + 1, 1);
  } else {
    y = floor_shift(y, gadget.shift);
  }
  const i128 base = i128{1} << gadget.base_bits;
  for (u32 j = 0; j < gadget.digits; ++j) {
    i128 digit = y & (base - 1);
    if (gadget.centred && digit >= base / 2) digit -= base;
    if (gadget.centred && j + 1 == gadget.digits) digit = y;
    y = floor_shift(y - digit, gadget.base_bits);
    store(j, static_cast<W>(digit < 0 ? digit + static_cast<i128>(q) : digit));
  }
}

}  // namespace ringfort::ref
