// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels on canonical residues: sum, difference, negative, product, out + a b, product with one factor
// for each limb, and the last step of ModDown. `out` may be the memory of an input. If the stride of a batch is 0, its
// only polynomial serves as all polynomials.
#pragma once

#include "backend/device/kernels/chunk.h"
#include "backend/device/kernels/ntt_ends.h"
#include "backend/device/team.h"

namespace ringfort::device {

template <class Word>
struct MapArgs {
  Batch<Word> out;
  Batch<const Word> a, b;
  const Limb<Word>* limbs;  // constants of the limbs of the batch
  Chunks chunks;
};

// The kernel of an operation Of. Of::of(team, a, b, out, limb) returns the result for the words to which a, b and out
// point.
template <class Word, class Of>
struct Map {
  using Args = MapArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    const u32 log_n = args.chunks.log_n;
    Word* const out = chunk.unit.of(args.out, log_n);
    const Word *const a = chunk.unit.of(args.a, log_n), *const b = chunk.unit.of(args.b, log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) { team.store(out + i, Of::of(team, a + i, b + i, out + i, limb)); });
    });
  }
};

template <class Word>
struct Sum {
  template <class Team>
  static constexpr Word of(Team& team, const Word* a, const Word* b, const Word*, const Limb<Word>& limb) {
    return limb.canonical(team.load(a) + team.load(b));
  }
};

template <class Word>
struct Difference {
  template <class Team>
  static constexpr Word of(Team& team, const Word* a, const Word* b, const Word*, const Limb<Word>& limb) {
    return limb.canonical(team.load(a) - team.load(b) + limb.q);
  }
};

template <class Word>
struct Negative {
  template <class Team>
  static constexpr Word of(Team& team, const Word* a, const Word*, const Word*, const Limb<Word>& limb) {
    return limb.canonical(limb.q - team.load(a));
  }
};

template <class Word, class Rules>
struct Product {
  template <class Team>
  static constexpr Word of(Team& team, const Word* a, const Word* b, const Word*, const Limb<Word>& limb) {
    return Rules::reduce(wide_product(team.load(a), team.load(b)), limb);
  }
};

// Computes out + a b with one reduction.
template <class Word, class Rules>
struct SumOfProduct {
  template <class Team>
  static constexpr Word of(Team& team, const Word* a, const Word* b, const Word* out, const Limb<Word>& limb) {
    Wide<Word> sum(team.load(out));
    sum.add_product(team.load(a), team.load(b));
    return Rules::reduce(sum, limb);
  }
};

// Number of factors that fit into the arguments of a launch. They are the factors of neighbouring limbs.
template <class Word>
inline constexpr u32 kFactorsOfLaunch = 128 / sizeof(Factor<Word>);

template <class Word>
struct ScaleArgs {
  Batch<Word> out;
  Batch<const Word> a;
  const Limb<Word>* limbs;
  Chunks chunks;
  Factor<Word> factors[kFactorsOfLaunch<Word>];
};

// Computes out = a times the factor of the limb.
template <class Word>
struct Scale {
  using Args = ScaleArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Word q = team.load_table(&args.limbs[chunk.unit.limb].q);
    // The unrolled loop compares the limb's number with constants. If the number were an index of `factors`, the
    // compiler would copy the arguments to the lane's memory.
    Factor<Word> factor = args.factors[0];
#pragma unroll 16
    for (u32 i = 1; i < kFactorsOfLaunch<Word>; ++i) {
      if (i == chunk.unit.limb) factor = args.factors[i];
    }
    Word* const out = chunk.unit.of(args.out, args.chunks.log_n);
    const Word* const a = chunk.unit.of(args.a, args.chunks.log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane,
                    [&](u32 i) { team.store(out + i, reduce_once(multiply_lazy2(team.load(a + i), factor, q), q)); });
    });
  }
};

template <class Word>
struct DivideArgs {
  Batch<const Word> x;
  const Limb<Word>* limbs;
  Chunks chunks;
  typename Quotient<Word>::Args end;
};

// The last step of ModDown in the coefficient domain. In the evaluation domain, a transform contains this step.
template <class Word>
struct Divide {
  using Args = DivideArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    const Word* const x = chunk.unit.of(args.x, args.chunks.log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) {
        const Spot<Word> spot{chunk.unit, i, args.chunks.log_n};
        Quotient<Word>::template store<Strict<Word>>(team, args.end, nullptr, team.load(x + i), limb, spot);
      });
    });
  }
};

}  // namespace ringfort::device
