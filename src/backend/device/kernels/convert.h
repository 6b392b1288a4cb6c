// SPDX-License-Identifier: Apache-2.0
// The kernels of base conversion. They use the formulas of BaseConvert (backend/verbs.h), and the names of these
// formulas. A lane has kCoefficientsOfLane coefficients. First it computes v_i of every source limb, and stores these
// words in its own part of shared memory. Then it computes the limbs of the result, kConvertTile limbs at a time. Each
// limb is a sum of weights times v_i. One reduction serves Rules::kTerms products.
#pragma once

#include "backend/device/grid.h"
#include "backend/device/kernels/ntt_ends.h"
#include "backend/device/team.h"

namespace ringfort::device {

inline constexpr u32 kConvertTile = 4;                       // limbs of the result that share a load of v_i
inline constexpr u32 kConvertSharedBytes = 32 * 1024;        // most shared memory of a block with more than one warp
inline constexpr u32 kMostConvertTileLog = 8, kWarpLog = 5;  // logarithms: coefficients of a block, lanes of a warp

template <class Word>
struct SourceLimb {
  Factor<Word> inverse;  // (Q / q)^(-1) mod q
  u64 fraction;          // floor(2^(63 + bits) / q)
  Word q;
  u32 shift;  // 64 - bits
};

// Number of weights, and of v_i, that a lane loads in one access. On an H100, kernels that loaded two weights of 64
// bits at once took a fifth longer than kernels that loaded one.
template <class Word>
inline constexpr u32 kWeightsAtOnce = sizeof(Word) == 4 ? kRowWords<Word> : 1;

// Number of coefficients of a lane. All lanes load the same weights, but a multiprocessor writes only 32 registers in a
// cycle. With one coefficient of 32 bits for each lane, the loads take longer than the products (docs/notes/0027).
template <class Word>
inline constexpr u32 kCoefficientsOfLaneLog = sizeof(Word) == 4 ? 1 : 0;
template <class Word>
inline constexpr u32 kCoefficientsOfLane = 1u << kCoefficientsOfLaneLog<Word>;

// Returns the number of weights of one limb of the result: one for each source, one for k, and unused weights up to a
// whole number of accesses.
template <class Word>
[[nodiscard]] constexpr u32 weights_of_limb(u32 sources) {
  return (sources + kWeightsAtOnce<Word>) / kWeightsAtOnce<Word> * kWeightsAtOnce<Word>;
}

// The limbs of the result of a conversion. The result has `count` limbs. The conversion does not compute limbs [kept,
// kept + skipped), which already have their residues.
struct ConvertShape {
  u32 sources, count, kept, skipped;
  u32 polynomials, log_n, tile_log = 0, limbs_of_block = 1;  // a block has 2^tile_log coefficients
  u32 weights = 0;                                           // weights_of_limb(): weights of one limb of the result

  [[nodiscard]] constexpr u32 computed() const { return count - skipped; }
  [[nodiscard]] constexpr u32 groups() const { return (computed() + limbs_of_block - 1) / limbs_of_block; }
  [[nodiscard]] constexpr u32 limb(u32 number) const { return number < kept ? number : number + skipped; }
};

template <class Word>
[[nodiscard]] constexpr Grid convert_grid(const ConvertShape& shape) {
  return {(shape.polynomials * shape.groups()) << (shape.log_n - shape.tile_log),
          1u << (shape.tile_log - kCoefficientsOfLaneLog<Word>),
          (shape.weights << shape.tile_log) * static_cast<u32>(sizeof(Word))};
}

// Returns the logarithm of the number of coefficients of a block.
template <class Word>
[[nodiscard]] constexpr u32 convert_tile_log(u32 sources, u32 log_n) {
  const u32 bytes = weights_of_limb<Word>(sources) * static_cast<u32>(sizeof(Word));
  u32 log = kMostConvertTileLog;
  while (log > kWarpLog + kCoefficientsOfLaneLog<Word> && bytes << log > kConvertSharedBytes) --log;
  return log < log_n ? log : log_n;
}

// Returns how many limbs of the result one block computes. `units` is the number of multiprocessors. If there are few
// blocks, some multiprocessors would be idle. Then the limbs are divided among more blocks, although each of these
// blocks must compute all v_i.
[[nodiscard]] constexpr u32 convert_limbs_of_block(const ConvertShape& shape, u32 units) {
  constexpr u32 kBlocksOfUnit = 4;
  const u32 blocks = shape.polynomials << (shape.log_n - shape.tile_log), wanted = kBlocksOfUnit * units;
  const u32 groups = (wanted + blocks - 1) / blocks, limbs = (shape.computed() + groups - 1) / groups;
  return (limbs + kConvertTile - 1) / kConvertTile * kConvertTile;
}

template <class Word>
struct ConvertArgs {
  Batch<Word> out;
  Batch<const Word> a;
  const SourceLimb<Word>* sources;
  const Word* weights;      // for each limb of out: Q / q_i mod p of every source, -Q mod p, unused weights
  const Limb<Word>* limbs;  // constants of the limbs of out
  ConvertShape shape;
  u64 rounding;  // added to the sum of fractions: 0, or 2^55 for centred conversion
  u64 mask;      // mask of k: 0 for approximate conversion
};

template <class Word, class Rules>
struct Convert {
  using Args = ConvertArgs<Word>;
  static constexpr u32 kFractionBits = 56;
  static constexpr u32 kStep = kWeightsAtOnce<Word>, kColumns = kCoefficientsOfLane<Word>;

  // Calls f for each of the lane's coefficients.
  template <class F>
  static constexpr void for_columns(F f) {
#pragma unroll 2
    for (u32 c = 0; c < kColumns; ++c) f(c);
  }

  // Returns v_i of the residue x, and adds its fraction to `sum`.
  static constexpr Word scaled(const SourceLimb<Word>& source, Word x, u64& sum) {
    const Word v = reduce_once(multiply_lazy2(x, source.inverse, source.q), source.q);
    sum += mul_high(u64{v} << source.shift, source.fraction) >> 7;
    return v;
  }

  // Stores the v_i of all sources, then k, and then zeros up to a whole number of accesses. `a` is the lane's first
  // coefficient of the first source.
  template <class Team, class Tile>
  static constexpr void put_columns(Team& team, const Args& args, const Tile& tile, const Word* a, u32 lane) {
    const ConvertShape& shape = args.shape;
    const u32 sources = shape.sources, lanes = team.lanes();
    u64 sums[kColumns];
    for_columns([&](u32 c) { sums[c] = args.rounding; });
    Row<Word> rows[kColumns];
    const auto scale = [&](u32 i, u32 j) {
      const SourceLimb<Word> source = team.load_table(args.sources + i + j);
      const Word* const words = a + (u64{i + j} << shape.log_n);
      for_columns([&](u32 c) { rows[c].words[j] = scaled(source, team.load(words + c * lanes), sums[c]); });
    };
    const auto put = [&](u32 i) {
      for_columns([&](u32 c) {
        const u32 index = (i << shape.tile_log) + (lane + c * lanes) * kStep;
        if constexpr (kStep == 1) {
          tile.store(index, rows[c].words[0]);
        } else {
          tile.store_row(index, rows[c]);
        }
      });
    };
    u32 i = 0;
    for (; i + kStep <= sources; i += kStep) {
#pragma unroll 4
      for (u32 j = 0; j < kStep; ++j) scale(i, j);
      put(i);
    }
#pragma unroll 4
    for (u32 j = 0; j < kStep; ++j) {
      if (i + j < sources) scale(i, j);
      else
        for_columns([&](u32 c) {
          rows[c].words[j] = i + j == sources ? static_cast<Word>(sums[c] >> kFractionBits & args.mask) : 0;
        });
    }
    put(i);
  }

  // Computes kConvertTile limbs of the result: those with numbers range[0], range[0] + 1 .., but none from range[1] on.
  // For 32-bit words, it computes the last limb several times instead: with a condition for each limb, the loop has
  // twice as many instructions. For 64-bit words, the loop without conditions needs 126 registers instead of 72.
  template <class Team, class Tile>
  static constexpr void sum_limbs(Team& team, const Args& args, const Tile& tile, Word* out, u32 lane,
                                  const u32 (&range)[2]) {
    const ConvertShape& shape = args.shape;
    const u32 lanes = team.lanes();
    Wide<Word> sums[kConvertTile][kColumns];
    const auto for_limbs = [&](auto f) {
#pragma unroll 4
      for (u32 e = 0; e < kConvertTile; ++e) {
        const u32 number = kStep == 1 ? range[0] + e : min(range[0] + e, range[1] - 1);
        if (kStep != 1 || number < range[1]) f(sums[e], shape.limb(number));
      }
    };
    const auto reduce = [&](Wide<Word>(&sum)[kColumns], u32 limb) {
      const Limb<Word> constants = team.load_table(args.limbs + limb);
      for_columns([&](u32 c) { sum[c] = Rules::reduce(sum[c], constants); });
    };
    u32 row = lane * kStep;
    for (u32 i = 0; i <= shape.sources; i += kStep, row += kStep << shape.tile_log) {
      if (i != 0 && i % Rules::kTerms == 0) for_limbs(reduce);
      Row<Word> v[kColumns];
      for_columns([&](u32 c) {
        const u32 index = row + c * lanes * kStep;
        if constexpr (kStep == 1) {
          v[c].words[0] = tile.load(index);
        } else {
          v[c] = tile.load_row(index);
        }
      });
      for_limbs([&](Wide<Word>(&sum)[kColumns], u32 limb) {
        const Word* const weights = args.weights + (limb * shape.weights + i);
        if constexpr (kStep == 1) {
          const Word weight = team.load_table(weights);
          for_columns([&](u32 c) { sum[c].add_product(v[c].words[0], weight); });
        } else {
          const Row<Word> row = team.load_table(reinterpret_cast<const Row<Word>*>(weights));
          for_columns([&](u32 c) {
#pragma unroll 4
            for (u32 j = 0; j < kStep; ++j) sum[c].add_product(v[c].words[j], row.words[j]);
          });
        }
      });
    }
    for_limbs(reduce);
    for_limbs([&](Wide<Word>(&sum)[kColumns], u32 limb) {
      for_columns([&](u32 c) { team.store(out + (u64{limb} << shape.log_n) + c * lanes, sum[c].low()); });
    });
  }

  // Converts one tile of a polynomial to one group of limbs. `tile` and `group` are the numbers of the tile and the
  // group.
  template <class Team>
  static constexpr void convert(Team& team, const Args& args, u32 polynomial, u32 tile, u32 group) {
    const ConvertShape& shape = args.shape;
    const u32 first = tile << shape.tile_log;
    const u32 begin = group * shape.limbs_of_block, end = min(begin + shape.limbs_of_block, shape.computed());
    if (begin >= end) return;
    const Unit unit{polynomial, 0};
    const Word* const a = unit.of(args.a, shape.log_n) + first;
    Word* const out = unit.of(args.out, shape.log_n) + first;
    const auto columns = team.template shared<Word>(shape.weights << shape.tile_log);
    team.last_phase([&](u32 lane) {
      put_columns(team, args, columns, a + lane, lane);
      for (u32 limb = begin; limb < end; limb += kConvertTile)
        sum_limbs(team, args, columns, out + lane, lane, {limb, end});
    });
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const ConvertShape& shape = args.shape;
    const u32 tiles_log = shape.log_n - shape.tile_log, number = team.block() >> tiles_log;
    const u32 polynomial = number / shape.groups(), group = number - polynomial * shape.groups();
    convert(team, args, polynomial, team.block() & ((1u << tiles_log) - 1), group);
  }
};

// Arguments of the conversions of a key switch. A digit is a group of limbs of a polynomial (Digits in ntt_ends.h). One
// launch converts all digits of all polynomials.
template <class Word>
struct ConvertModUpArgs {
  // all.out: the digits. all.a: the limbs of the polynomials that are divided into digits. all.shape.sources: the
  // number of limbs of a full digit. all.shape.polynomials: the number of digits of all polynomials. The tables
  // all.sources and all.weights have one section for each digit. Every section is as large as that of a full digit.
  ConvertArgs<Word> all;
  Digits digits;
  u64 weights_of_digit;
};

template <class Word, class Rules>
struct ConvertModUp {
  using Args = ConvertModUpArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Digits& digits = args.digits;
    const ConvertArgs<Word>& all = args.all;
    const ConvertShape& shape = all.shape;
    const u32 tiles_log = shape.log_n - shape.tile_log, number = team.block() >> tiles_log;
    const u32 row = number / shape.groups(), group = number - row * shape.groups();
    const u32 polynomial = row / digits.count, digit = row - polynomial * digits.count;
    const u32 first = digit * digits.limbs, sources = min(digits.limbs, digits.of_limbs - first);
    // The limbs of the result that belong to the digit itself.
    const u32 begin = digits.first + first;
    const auto within = [&](u32 limb) { return limb >> 31 != 0 ? 0 : min(limb, shape.count); };  // 0 if negative
    const u32 kept = within(begin), skipped = within(begin + sources) - kept;
    const Word* const a = all.a.words + polynomial * all.a.stride + (u64{first} << shape.log_n);
    // Copies the members one by one, because OpenCL's kernels cannot copy a struct as a whole (gpu/opencl.h).
    const ConvertArgs<Word> of_row{{all.out.words, all.out.stride},
                                   {a, 0},
                                   all.sources + first,
                                   all.weights + digit * args.weights_of_digit,
                                   all.limbs,
                                   {sources, shape.count, kept, skipped, shape.polynomials, shape.log_n, shape.tile_log,
                                    shape.limbs_of_block, shape.weights},
                                   all.rounding,
                                   all.mask};
    Convert<Word, Rules>::convert(team, of_row, row, team.block() & ((1u << tiles_log) - 1), group);
  }
};

}  // namespace ringfort::device
