// SPDX-License-Identifier: Apache-2.0
// Divisor<W>: exact quotients of secret words by a public divisor d, without the processor's division, whose time
// depends on the dividend on many machines [Bernstein25]. m = floor((2^w - 1) / d) = (2^w - e) / d with 1 <= e <= d. So
// x m / 2^w = x / d - (x / 2^w) (e / d) is above x / d - 1 and at most x / d, and its floor f is the quotient or one
// less. If x - f d, which is in [0, 2d), is at least d, the quotient is f + 1. d <= 2^(w - 1), so that 2d fits a word.
// The divisor is public, so m is computed by division.
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
