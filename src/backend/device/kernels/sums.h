// SPDX-License-Identifier: Apache-2.0
// The kernels of the verbs InnerProduct and Tensor (backend/verbs.h). A sum is reduced once for every Rules::kTerms
// products. `out` must not be the memory of an input.
#pragma once

#include "backend/device/kernels/chunk.h"
#include "backend/device/team.h"

namespace ringfort::device {

inline constexpr u32 kSumTile = 2;  // columns that share a load of `a`; a key switch has two columns

template <class Word>
struct InnerProductArgs {
  Batch<Word> out;
  Batch<const Word> a, b;
  const Limb<Word>* limbs;
  Chunks chunks;  // here a "polynomial" is one tile of columns of one row
  u32 inner, columns, accumulates;
  [[nodiscard]] static constexpr u32 tiles(u32 columns) { return (columns + kSumTile - 1) / kSumTile; }
};

template <class Word, class Rules>
struct InnerProduct {
  using Args = InnerProductArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    const u32 tiles = Args::tiles(args.columns), row = chunk.unit.polynomial / tiles,
              first = (chunk.unit.polynomial - row * tiles) * kSumTile;
    const u64 in_polynomial = u64{chunk.unit.limb} << args.chunks.log_n;
    const Word* const a = args.a.words + u64{row} * args.inner * args.a.stride + in_polynomial;
    const Word* const b = args.b.words + u64{first} * args.b.stride + in_polynomial;
    Word* const out = args.out.words + (u64{row} * args.columns + first) * args.out.stride + in_polynomial;
    const u32 count = min(kSumTile, args.columns - first);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) {
        Wide<Word> sums[kSumTile];
        const auto for_columns = [&](auto f) {
#pragma unroll 2
          for (u32 c = 0; c < kSumTile; ++c) {
            if (c < count) f(c, sums[c]);
          }
        };
        if (args.accumulates != 0)
          for_columns([&](u32 c, Wide<Word>& sum) { sum = team.load(out + c * args.out.stride + i); });
        for (u32 k = 0; k < args.inner; ++k) {
          if (k != 0 && k % Rules::kTerms == 0)
            for_columns([&](u32, Wide<Word>& sum) { sum = Rules::reduce(sum, limb); });
          const Word x = team.load(a + k * args.a.stride + i);
          for_columns([&](u32 c, Wide<Word>& sum) {
            sum.add_product(x, team.load(b + (u64{k} * args.columns + c) * args.b.stride + i));
          });
        }
        for_columns(
            [&](u32 c, const Wide<Word>& sum) { team.store(out + c * args.out.stride + i, Rules::reduce(sum, limb)); });
      });
    });
  }
};

template <class Word>
struct TensorArgs {
  Batch<Word> out;
  Batch<const Word> a, b;
  const Limb<Word>* limbs;
  Chunks chunks;  // each pair counts as one polynomial
};

// Computes (a0 b0, a0 b1 + a1 b0, a1 b1) for each pair (a0, a1) of a and (b0, b1) of b. a and b may be the same batch.
template <class Word, class Rules>
struct Tensor {
  using Args = TensorArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    const u64 pair = chunk.unit.polynomial, in_polynomial = u64{chunk.unit.limb} << args.chunks.log_n;
    const Word* const a = args.a.words + 2 * pair * args.a.stride + in_polynomial;
    const Word* const b = args.b.words + 2 * pair * args.b.stride + in_polynomial;
    Word* const out = args.out.words + 3 * pair * args.out.stride + in_polynomial;
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) {
        const Word a0 = team.load(a + i), a1 = team.load(a + args.a.stride + i);
        const Word b0 = team.load(b + i), b1 = team.load(b + args.b.stride + i);
        Wide<Word> middle = wide_product(a0, b1);
        middle.add_product(a1, b0);
        team.store(out + i, Rules::reduce(wide_product(a0, b0), limb));
        team.store(out + args.out.stride + i, Rules::reduce(middle, limb));
        team.store(out + 2 * args.out.stride + i, Rules::reduce(wide_product(a1, b1), limb));
      });
    });
  }
};

}  // namespace ringfort::device
