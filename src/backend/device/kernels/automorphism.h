// SPDX-License-Identifier: Apache-2.0
// out(x) = a(x^galois) in either domain, by gathering, so that stores are contiguous. In the evaluation domain an
// aligned block of 2^k positions comes from one aligned block, so that loads use whole sectors, too. The reason: the
// exponents of a block are a coset of the multiples of 2n / 2^k, and an odd factor maps cosets to cosets. Loads of
// coefficients are strided.
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
  u32 factor;  // galois for evaluations, its inverse mod 2n for coefficients
};

// Writes coefficients. Coefficient j of the result is coefficient j / galois mod 2n of the operand, negated if that
// number is n or more.
template <class Word>
struct AutomorphismOfCoefficients {
  using Args = AutomorphismArgs<Word>;

  template <class Team>
  static constexpr void run(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const u32 log_n = args.chunks.log_n, n = 1u << log_n;
    const Word q = team.load_table(&args.limbs[chunk.unit.limb].q);
    Word* const out = chunk.unit.of(args.out, log_n);
    const Word* const a = chunk.unit.of(args.a, log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 j) {
        const u32 place = j * args.factor;
        const Word x = team.load(a + (place & (n - 1)));
        team.store(out + j, (place & n) == 0 ? x : reduce_once<Word>(q - x, q));
      });
    });
  }
};

// Writes evaluations: position j has the value at psi^(2 reverse(j) + 1).
template <class Word>
struct AutomorphismOfEvaluations {
  using Args = AutomorphismArgs<Word>;

  template <class Team>
  static constexpr void run(Team& team, const Args& args) {
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
