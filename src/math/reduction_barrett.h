// SPDX-License-Identifier: Apache-2.0
// The Barrett family: one algorithm with three sets of shifts. Let m = bit_length(q) and x < 2^(2m). Then
//   quotient ~ floor(floor(x / 2^drop) * mu / 2^(2m + mu_extra - drop)),  mu = floor(2^(2m + mu_extra) / q)
//   classical          drop m-1, mu_extra 0: at most two corrections     [Barrett86; Shivdikar22, Alg. 2]
//   Dhem-Quisquater    drop m-2, mu_extra 3: at most one correction      [DhemQuisquater98; Shivdikar22, Alg. 3]
//   proposed           drop m-2, mu_extra 1: at most one correction      [Shivdikar22, Alg. 4]
// A modulus must be shorter than a word: by 2 bits for classical and proposed, by 4 bits for Dhem-Quisquater. Proposed
// and Dhem-Quisquater do not accept a power of two with kMaxBits bits as q, because mu would be one bit too long.
#pragma once

#include "math/reduction.h"

namespace ringfort {

struct ClassicalShape {
  static constexpr std::string_view kName = "classical Barrett";
  static constexpr u32 kDrop = 1, kMuExtra = 0, kMostCorrections = 2, kSpareBits = 2;
};

struct DhemShape {
  static constexpr std::string_view kName = "Dhem-Quisquater";
  static constexpr u32 kDrop = 2, kMuExtra = 3, kMostCorrections = 1, kSpareBits = 4;
};

struct ProposedShape {
  static constexpr std::string_view kName = "proposed Barrett";
  static constexpr u32 kDrop = 2, kMuExtra = 1, kMostCorrections = 1, kSpareBits = 2;
};

template <class W, class Shape>
class Barrett {
 public:
  static constexpr std::string_view kName = Shape::kName;
  static constexpr u32 kMaxBits = kWordBits<W> - Shape::kSpareBits;
  static constexpr u32 kMostCorrections = Shape::kMostCorrections;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept {
    const u32 m = bit_length(q);
    return m >= 2 && m <= kMaxBits && power_quotient<W>(2 * m + Shape::kMuExtra, q).fits;
  }
  // Accepts any q. Tests use moduli above kMaxBits to show that words wrap around for such moduli.
  constexpr explicit Barrett(W q) noexcept
      : q_(q),
        mu_(power_quotient<W>(2 * bit_length(q) + Shape::kMuExtra, q).value),
        drop_(bit_length(q) - Shape::kDrop),
        shift_(bit_length(q) + Shape::kMuExtra + Shape::kDrop) {}
  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr W reduce(Wide<W> x) const noexcept {
    W rest = uncorrected(x);
    if constexpr (kMostCorrections == 2) rest = subtract_if_not_below<W>(rest, q_);
    return subtract_if_not_below<W>(rest, q_);
  }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept { return reduce(mul_wide<W>(a, b)); }
  [[nodiscard]] constexpr u32 corrections(Wide<W> x) const noexcept {
    u32 count = 0;
    for (W rest = uncorrected(x); rest >= q_; rest = static_cast<W>(rest - q_)) ++count;
    return count;
  }

 private:
  // Returns x - quotient * q. It is below (kMostCorrections + 1) q.
  [[nodiscard]] constexpr W uncorrected(Wide<W> x) const noexcept {
    const W upper = WordTraits<W>::shift_low(x, drop_);
    const W quotient = WordTraits<W>::shift_low(mul_wide<W>(upper, mu_), shift_);
    return static_cast<W>(WordTraits<W>::low(x) - mullo<W>(quotient, q_));
  }

  W q_{};
  W mu_{};
  u32 drop_ = 0;
  u32 shift_ = 0;
};

// Products by a Barrett reduction without shifts by a variable number of bits of a double word. Let m = bit_length(q)
// and a, b < q. With mu = floor(2^(w + m - 2) / q), where w is the length of a word,
//   floor(a b / 2^(m-2)) is the upper word of (a 2^(w-m)) (4 b), and quotient = its upper product with mu.
// The quotient is at most 1 too small: the roundings of mu, of the first upper word and of the quotient make it smaller
// by less than 2^(m+2-w), 2^(m-2) / q <= 1/2 and 1. For m <= w - 3, the sum is at most 2.
template <class W>
class UpperBarrett {
 public:
  static constexpr std::string_view kName = "Barrett with upper words";
  static constexpr u32 kMaxBits = kWordBits<W> - 3;
  [[nodiscard]] static constexpr bool accepts(W q) noexcept { return q >= W(2) && bit_length(q) <= kMaxBits; }
  constexpr explicit UpperBarrett(W q) noexcept
      : q_(q),
        mu_(power_quotient<W>(kWordBits<W> + bit_length(q) - 2, q).value),
        up_(kWordBits<W> - bit_length(q)) {}
  [[nodiscard]] constexpr W modulus() const noexcept { return q_; }
  [[nodiscard]] constexpr W multiply(W a, W b) const noexcept {
    const W upper = mulhi<W>(static_cast<W>(a << up_), static_cast<W>(b << 2));
    return subtract_if_not_below<W>(static_cast<W>(mullo<W>(a, b) - mullo<W>(mulhi<W>(upper, mu_), q_)), q_);
  }

 private:
  W q_{};
  W mu_{};
  u32 up_ = 0;
};

template <class W>
using ClassicalBarrett = Barrett<W, ClassicalShape>;
template <class W>
using DhemQuisquater = Barrett<W, DhemShape>;
template <class W>
using ProposedBarrett = Barrett<W, ProposedShape>;

}  // namespace ringfort
