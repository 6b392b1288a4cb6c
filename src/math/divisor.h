// SPDX-License-Identifier: Apache-2.0
// Divisor<W> gives exact quotients of secret words x by a public divisor d. It does not use the division of the
// processor, because on many machines the time of this division depends on the dividend [Bernstein25].
//
// Let m = floor((2^w - 1) / d), where w is the length of a word. Then m = (2^w - e) / d with 1 <= e <= d. It follows
// that x m / 2^w = x / d - (x / 2^w) (e / d). This is above x / d - 1 and at most x / d. Therefore f = floor(x m / 2^w)
// is the quotient or one less, and x - f d is in [0, 2d). If x - f d is at least d, the quotient is f + 1. The divisor
// d is at most 2^(w - 1), so that 2d fits into a word. The constant m is computed by a division, because d is public.
#pragma once

#include "base/assert.h"
#include "math/word.h"

namespace ringfort {

template <class W>
class Divisor {
 public:
  constexpr explicit Divisor(W d) noexcept
      : d_(d),
        reciprocal_(divide_wide<W>(W(0), static_cast<W>(W(0) - W(1)), d).quotient) {
    RF_ASSERT(d != W(0) && ((d - W(1)) >> (kWordBits<W> - 1)) == W(0));
  }

  // Returns floor(x / d).
  [[nodiscard]] constexpr W quotient(W x) const noexcept {
    const W estimate = mulhi<W>(x, reciprocal_);
    const W rest = static_cast<W>(x - mullo<W>(estimate, d_));
    return static_cast<W>(estimate + (W(1) & mask_if<W>(rest >= d_)));
  }

 private:
  W d_;
  W reciprocal_;
};

}  // namespace ringfort
