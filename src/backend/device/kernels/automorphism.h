// SPDX-License-Identifier: Apache-2.0
// The kernels of the verb Automorphism: out(x) = a(x^galois) in either domain. Lanes store neighbouring words, and load
// the words that they need from other positions.
//
// In the evaluation domain, an aligned block of 2^k positions of the result comes from one aligned block of the
// operand. The reason is that the exponents of a block are all numbers below 2n that have a certain remainder modulo
// 2n / 2^k. A product with an odd factor gives these numbers another common remainder. Therefore loads also use whole
// sectors (32 bytes, the unit in which a GPU reads memory). In the coefficient domain, loads are strided.
#pragma once

#include "backend/device/kernels/chunk.h"
#include "backend/device/team.h"

namespace ringfort::device {

template <class Word>
struct AutomorphismArgs {
  Batch<Word> out;
  Batch<const Word> a;
  const Limb<Word>* limbs;
  Chunks chunks;
  u32 factor;  // galois for evaluations; the inverse of galois mod 2n for coefficients
};

// Writes coefficients. Let k = j / galois mod 2n. Coefficient j of the result is coefficient k mod n of the operand. It
// is negated if k is n or more.
template <class Word>
struct AutomorphismOfCoefficients {
  using Args = AutomorphismArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const u32 log_n = args.chunks.log_n, n = 1u << log_n;
    const Word q = team.load_table(&args.limbs[chunk.unit.limb].q);
    Word* const out = chunk.unit.of(args.out, log_n);
    const Word* const a = chunk.unit.of(args.a, log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 j) {
        const u32 exponent = j * args.factor;
        const Word x = team.load(a + (exponent & (n - 1)));
        team.store(out + j, (exponent & n) == 0 ? x : reduce_once<Word>(q - x, q));
      });
    });
  }
};

// Writes evaluations. Position j has the value at psi^(2 reverse(j) + 1). backend/plan.h defines psi.
template <class Word>
struct AutomorphismOfEvaluations {
  using Args = AutomorphismArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const u32 log_n = args.chunks.log_n, n = 1u << log_n;
    Word* const out = chunk.unit.of(args.out, log_n);
    const Word* const a = chunk.unit.of(args.a, log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 j) {
        const u32 exponent = (2 * reverse_bits(j, log_n) + 1) * args.factor;
        team.store(out + j, team.load(a + reverse_bits(exponent >> 1 & (n - 1), log_n)));
      });
    });
  }
};

}  // namespace ringfort::device
