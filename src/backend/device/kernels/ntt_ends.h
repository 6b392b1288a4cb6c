// SPDX-License-Identifier: Apache-2.0
// Functors that replace the first loads (In) and the last stores (Out) of a transform. This header needs no standard
// library. The members of these functors are:
//   In::load<Rules>(team, args, words, limb, spot)       returns the residue in [0, q) that enters at the spot
//   In::limb(args, number)                               returns the limb that has this number in the launch
//   In::omits(args, unit)                                tells whether the launch leaves this limb unchanged
//   kHasRows                                             true if a lane may access whole rows of the batch (forward
//                                                        transforms use Out::kHasRows, inverse ones In::kHasRows)
//   Out::store<Rules>(team, args, words, x, limb, spot)  stores the canonical result x of the spot
#pragma once

#include "backend/device/kernels/limb.h"

namespace ringfort::device {

// A coefficient of a batch.
template <class Word>
struct Spot {
  Unit unit;
  u64 offset;  // position in the limb
  u32 log_n;
  template <class Of>
  [[nodiscard]] constexpr Of* of(const Batch<Of>& batch) const {
    return unit.of(batch, log_n) + offset;
  }
};

// Loads from and stores to the batch itself.
template <class Word>
struct Keep {
  static constexpr bool kHasRows = true;
  struct Args {};
  static constexpr u32 limb(const Args&, u32 number) { return number; }
  static constexpr bool omits(const Args&, const Unit&) { return false; }
  template <class Rules, class Team>
  static constexpr Word load(Team& team, const Args&, const Word* words, const Limb<Word>&, const Spot<Word>& spot) {
    return team.load(words + spot.offset);
  }
  template <class Rules, class Team>
  static constexpr void store(Team& team, const Args&, Word* words, Word x, const Limb<Word>&, const Spot<Word>& spot) {
    team.store(words + spot.offset, x);
  }
};

// Loads a word from another batch. Adds the word of an addend times a factor of the limb. The launch may omit a range
// of limbs.
template <class Word>
struct Source {
  static constexpr bool kHasRows = false;
  struct Args {
    Batch<const Word> from, addend;
    const Factor<Word>* factors;  // factors of the addend, one for each limb of the batch
    u32 addends;                  // number of polynomials with an addend
    u32 first_added;              // first limb of the batch that has an addend; limb i gets limb i of the addend
    u32 begin, gap;               // the launch omits limbs [begin, begin + gap)
  };
  static constexpr u32 limb(const Args& args, u32 number) { return number < args.begin ? number : number + args.gap; }
  static constexpr bool omits(const Args&, const Unit&) { return false; }
  template <class Rules, class Team>
  static constexpr Word load(Team& team, const Args& args, const Word*, const Limb<Word>& limb,
                             const Spot<Word>& spot) {
    const Word x = team.load(spot.of(args.from));
    if (spot.unit.polynomial >= args.addends || spot.unit.limb < args.first_added) return x;
    const Factor<Word> factor = team.load_table(args.factors + spot.unit.limb);
    return limb.canonical(x + limb.canonical(limb.times(team.load(spot.of(args.addend)), factor)));
  }
};

// The digits of a key switch. Polynomial p of the operand has digits p * count .. (p + 1) * count - 1. A digit consists
// of `limbs` of the `of_limbs` limbs of the operand; the last digit may have fewer. Limb 0 of the operand is limb
// `first` of the batch. `first` may be negative; it is stored mod 2^32.
struct Digits {
  u32 count, limbs, first, of_limbs;
  // Returns the digit to which this limb of the batch belongs, or `count` if it belongs to no digit.
  [[nodiscard]] constexpr u32 digit_of(u32 limb) const {
    const u32 number = limb - first;
    return number < of_limbs ? number / limbs : count;
  }
};

// Omits each digit in its own limbs, because the evaluations there are known.
template <class Word>
struct Converted {
  using Args = Digits;
  static constexpr u32 limb(const Args&, u32 number) { return number; }
  static constexpr bool omits(const Args& args, const Unit& unit) {
    return unit.polynomial % args.count == args.digit_of(unit.limb);
  }
  template <class Rules, class Team>
  static constexpr Word load(Team& team, const Args&, const Word* words, const Limb<Word>&, const Spot<Word>& spot) {
    return team.load(words + spot.offset);
  }
};

// Multiplies the results by the words of another batch, which are evaluations. Stores the products in a third batch.
template <class Word>
struct Times {
  static constexpr bool kHasRows = false;
  struct Args {
    Batch<Word> to;
    Batch<const Word> by;
  };
  template <class Rules, class Team>
  static constexpr void store(Team& team, const Args& args, Word*, Word x, const Limb<Word>& limb,
                              const Spot<Word>& spot) {
    team.store(spot.of(args.to), Rules::reduce(wide_product(x, team.load(spot.of(args.by))), limb));
  }
};

// The last step of ModDown. Stores (a - x) / Q plus an addend, where x is a result and Q is a product of primes. In
// ModDownRescale, it also divides this sum by a second product of primes.
template <class Word>
struct Quotient {
  static constexpr bool kHasRows = false;
  struct Args {
    Batch<Word> to;
    Batch<const Word> a, addend;
    const Factor<Word>* inverses;  // 1 / Q for each limb
    const Factor<Word>* last;      // for each limb, the inverse of the second product; nullptr if there is none
    u32 addends;                   // number of polynomials with an addend
  };
  template <class Rules, class Team>
  static constexpr void store(Team& team, const Args& args, Word*, Word x, const Limb<Word>& limb,
                              const Spot<Word>& spot) {
    const Word difference = limb.canonical(team.load(spot.of(args.a)) - x + limb.q);
    const Factor<Word> inverse = team.load_table(args.inverses + spot.unit.limb);
    Word result = limb.canonical(limb.times(difference, inverse));
    if (spot.unit.polynomial < args.addends) result = limb.canonical(result + team.load(spot.of(args.addend)));
    if (args.last != nullptr) result = limb.canonical(limb.times(result, team.load_table(args.last + spot.unit.limb)));
    team.store(spot.of(args.to), result);
  }
};

}  // namespace ringfort::device
