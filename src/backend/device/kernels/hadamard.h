// SPDX-License-Identifier: Apache-2.0
// Products of two transforms, word by word (Hadamard products), for benchmarks (backend/device/variants.h), and kernels
// that measure the rate of single reductions.
#pragma once

#include "backend/device/kernels/reductions.h"
#include "backend/device/team.h"

namespace ringfort::device {

template <class Word, class Operand>
struct HadamardArgs {
  Word* a;  // an operand, and the result
  const Word* b;
  const Operand* table;  // factors of forward transforms, as in StageArgs
  Modulus<Word> modulus;
  u32 log_n;
  u64 items;  // number of words, or of pairs of words
};

// Computes a = a b, word by word.
template <class Word, class Reduction>
struct Hadamard {
  using Args = HadamardArgs<Word, typename Reduction::Operand>;
  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    team.last_phase([&](u32 lane) {
      const u64 i = u64{team.block()} * team.lanes() + lane;
      if (i < args.items)
        team.store(args.a + i, Reduction::multiply(team.load(args.a + i), team.load(args.b + i), args.modulus));
    });
  }
};

// Multiplies pairs of words. The operands lack the last stage of the forward transform. The result lacks the first
// stage of the inverse transform. A pair is a residue modulo X^2 - w^2 [Shivdikar22, Alg. 7, 8].
template <class Word, class Reduction>
struct FusedHadamard {
  using Args = HadamardArgs<Word, typename Reduction::Operand>;
  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Modulus<Word>& modulus = args.modulus;
    const u32 half = 1u << (args.log_n - 1);
    team.last_phase([&](u32 lane) {
      const u64 pair = u64{team.block()} * team.lanes() + lane;
      if (pair >= args.items) return;
      const u32 i = static_cast<u32>(pair) & (half - 1);
      Word* const a = args.a + 2 * pair;
      const Word a0 = team.load(a), a1 = team.load(a + 1), b0 = team.load(args.b + 2 * pair),
                 b1 = team.load(args.b + 2 * pair + 1);
      const Word low = Reduction::multiply(a0, b0, modulus), high = Reduction::multiply(a1, b1, modulus);
      const Word both = Reduction::multiply(modulus.sum(a0, a1), modulus.sum(b0, b1), modulus);
      // `square`: the square of factor i of the last stage. It is the factor of group i / 2 of the stage before
      // the last; it is negated if i is odd.
      const auto square = team.load_table(args.table + half / 2 + i / 2);
      const Word carried = Reduction::multiply(high, square, modulus);
      team.store(a, i % 2 == 0 ? modulus.sum(low, carried) : modulus.difference(low, carried));
      team.store(a + 1, modulus.difference(modulus.difference(both, low), high));
    });
  }
};

inline constexpr u32 kReductionSteps = 16;  // products of a round

template <class Word, class Operand>
struct ReductionArgs {
  Word* out;       // one word for each lane
  const Word* in;  // one canonical residue for each lane
  Operand factor;
  Modulus<Word> modulus;
  u32 rounds;
};

// Multiplies a residue of each lane by the factor again and again. Each product waits for the product before it.
template <class Word, class Reduction>
struct Reductions {
  using Args = ReductionArgs<Word, typename Reduction::Operand>;
  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    team.last_phase([&](u32 lane) {
      const u64 i = u64{team.block()} * team.lanes() + lane;
      Word x = team.load(args.in + i);
      for (u32 round = 0; round < args.rounds; ++round) {
#pragma unroll 16
        for (u32 step = 0; step < kReductionSteps; ++step) x = Reduction::multiply(x, args.factor, args.modulus);
      }
      team.store(args.out + i, x);
    });
  }
};

}  // namespace ringfort::device
