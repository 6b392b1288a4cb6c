// SPDX-License-Identifier: Apache-2.0
// Functors that replace the first loads (In) and the last stores (Out) of a transform. Freestanding.
//   In::load<Rules>(team, args, words, limb, spot)      the residue in [0, q) that enters the transform at the spot
//   Out::store<Rules>(team, args, words, x, limb, spot)  stores the canonical result of the spot
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
  [[nodiscard]] Of* of(const Batch<Of>& batch) const {
    return unit.of(batch, log_n) + offset;
  }
};

// Loads from and stores to the batch itself.
template <class Word>
struct Keep {
  struct Args {};
  template <class Rules, class Team>
  static Word load(Team& team, const Args&, const Word* words, const Limb<Word>&, const Spot<Word>& spot) {
    return team.load(words + spot.offset);
  }
  template <class Rules, class Team>
  static void store(Team& team, const Args&, Word* words, Word x, const Limb<Word>&, const Spot<Word>& spot) {
    team.store(words + spot.offset, x);
  }
};

// Stores products with another batch in the evaluation domain to a third batch.
template <class Word>
struct Times {
  struct Args {
    Batch<Word> to;
    Batch<const Word> by;
  };
  template <class Rules, class Team>
  static void store(Team& team, const Args& args, Word*, Word x, const Limb<Word>& limb, const Spot<Word>& spot) {
    Wide<Word> product;
    product.add_product(x, team.load(spot.of(args.by)));
    team.store(spot.of(args.to), Rules::reduce(product, limb));
  }
};

// Stores (a - x) / Q plus an addend, where x are the results and Q is a product of primes: the last step of ModDown.
template <class Word>
struct Quotient {
  struct Args {
    Batch<Word> to;
    Batch<const Word> a, addend;
    const Factor<Word>* inverses;  // 1 / Q for each limb
    u32 addends;                   // number of polynomials with an addend
  };
  template <class Rules, class Team>
  static void store(Team& team, const Args& args, Word*, Word x, const Limb<Word>& limb, const Spot<Word>& spot) {
    const Word difference = limb.canonical(team.load(spot.of(args.a)) - x + limb.q);
    const Factor<Word> inverse = team.load_table(args.inverses + spot.unit.limb);
    Word result = limb.canonical(limb.times(difference, inverse));
    if (spot.unit.polynomial < args.addends) result = limb.canonical(result + team.load(spot.of(args.addend)));
    team.store(spot.of(args.to), result);
  }
};

}  // namespace ringfort::device
