// SPDX-License-Identifier: Apache-2.0
// The last part of the transforms of the digits of a key switch, and the inner product of the digits and the key
// (verb::KeySwitch in backend/verbs.h). The key has a polynomial for each digit and column of `out`. A block computes
// one tile of one limb: the points of one or more sub-transforms (ntt_shape.h). First it transforms the tiles of
// several digits side by side in shared memory. Then it sums their products with the key. Therefore transformed digits
// never reach global memory. If shared memory does not hold all digits, the block takes one group of digits after the
// other. Meanwhile the sums of the earlier groups are in `out`. This header needs no standard library.
#pragma once

#include "backend/device/kernels/ntt.h"
#include "backend/device/kernels/sums.h"

namespace ringfort::device {

inline constexpr u32 kMostKeyLanes = 256;  // most lanes of a block, unless one whole transform has more
inline constexpr u32 kKeyDigits = 4;       // number of digits for which a lane loads the key's words together

template <class Word>
struct KeyProductArgs {
  Batch<Word> out;            // `columns` polynomials for each input polynomial
  Batch<const Word> digits;   // before the last part of their transforms; in the range of Rules (limb.h)
  Batch<const Word> a;        // evaluations of the input polynomials in the limbs of their digits
  Batch<const Word> key;      // `columns` polynomials for each digit
  const Limb<Word>* limbs;    // limbs of out
  const Factor<Word>* table;  // as in NttArgs (kernels/ntt.h)
  NttPart part;               // the last part of the transform
  Digits shape;
  u32 polynomials, columns, group;  // group: digits that a block transforms side by side
};

// Sets part.sets_log, so that the tiles of a block fit into `most_words` words of shared memory. Returns the number of
// digits in a group.
[[nodiscard]] constexpr u32 key_product_group(NttPart& part, u32 digits, u32 most_words) {
  part.sets_log = part.begins() ? 0 : part.sets_log;
  const u32 lanes = part.begins() && part.lanes() > kMostKeyLanes ? part.lanes() : kMostKeyLanes;
  const u32 most = min(most_words, lanes << part.points_log());
  while (part.sets_log > 0 && digits * part.words() > most) --part.sets_log;
  return min(digits, most / part.words());
}
[[nodiscard]] constexpr Grid key_product_grid(const NttPart& part, u32 polynomials, u32 limbs, u32 group) {
  return {polynomials * limbs * part.blocks_of_limb(), group * part.lanes(), group * part.words()};
}

template <class Word, class Rules>
struct KeyProduct {
  using Args = KeyProductArgs<Word>;

  // The members of a block that ForwardNtt::pass needs, for one digit of the group.
  template <class Team>
  struct Slot {
    struct Words {  // the digit's part of shared memory
      const typename Team::template Shared<Word>& tile;
      u32 first;
      [[nodiscard]] Word load(u32 index) const { return tile.load(first + index); }
      void store(u32 index, Word x) const { tile.store(first + index, x); }
      [[nodiscard]] Row<Word> load_row(u32 index) const { return device::load_row<Word>(tile, first + index); }
      void store_row(u32 index, const Row<Word>& row) const { device::store_row<Word>(tile, first + index, row); }
    };
    Team& team;
    const NttPart& part;
    NttBlock<Word> block;
    const Limb<Word>& limb;
    const Factor<Word>* table;
    Words tile;

    [[nodiscard]] constexpr NttPass pass(u32 lane, u32 t0) const { return {part, t0, block.lane_of_set(lane)}; }
    [[nodiscard]] constexpr NttLane<Word, Rules> registers(u32 lane) const {
      return {part, table, block.root(block.set(lane)), limb};
    }
    [[nodiscard]] constexpr Word load(u64 offset, bool) const { return team.load(block.words + offset); }
    constexpr void store(u64, Word, bool) const {}  // a last part stores nothing in its passes
  };

  // The tile of a block.
  struct KeyTile {
    NttPart part;
    Unit unit;
    u32 first_set, limb_digit;  // limb_digit: the digit to which this limb belongs
    Limb<Word> limb;
    template <class Team>
    constexpr KeyTile(Team& team, const Args& args, const NttPart& of)
        : part{of.log_n, of.first, of.log, args.part.sets_log},
          unit(),
          first_set(),
          limb_digit(),
          limb() {
      const u32 number = team.block(), tile = number / part.blocks_of_limb();
      unit = unit_of(tile, args.polynomials);
      first_set = (number - tile * part.blocks_of_limb()) << part.sets_log;
      limb_digit = args.shape.digit_of(unit.limb);
      limb = team.load_table(args.limbs + unit.limb);
    }
    // A batch has `count` polynomials for each input polynomial. Of the polynomials for this tile's input polynomial,
    // takes the first, and returns the first word of this tile's limb in it.
    template <class W>
    [[nodiscard]] constexpr W* of(const Batch<W>& batch, u32 count, u32 log_n) const {
      return batch.words + u64{unit.polynomial} * count * batch.stride + (u64{unit.limb} << log_n);
    }
  };

  struct Range {  // digits [first, end), and the first stage of a pass
    u32 first, end, t0;
  };

  // Adds the products of digits first .. end - 1 to the sums of the lane's words, two columns at a time.
  template <class Team, class Tile>
  static constexpr void sum(Team& team, const Args& args, const Tile& tile, const KeyTile& at, u32 lane,
                            const Range& range) {
    const NttPart& part = at.part;
    const u32 first = range.first, end = range.end, log_n = part.log_n, words = part.words();
    const Limb<Word>& limb = at.limb;
    const auto operand_word = [&](u32 offset) {
      return args.a.words + at.unit.polynomial * args.a.stride + (u64{at.unit.limb - args.shape.first} << log_n) +
             offset;
    };
    Word* const out = at.of(args.out, args.columns, log_n);
    const Word* const key = args.key.words + (u64{at.unit.limb} << log_n);
    for (u32 column = 0; column < args.columns; column += kSumTile) {
      const u32 count = min(kSumTile, args.columns - column);
      for (u32 i = lane; i < words; i += team.lanes()) {
        const u32 offset = (at.first_set << part.log) + i, index = swizzle<Word>(i);
        Wide<Word> sums[kSumTile];
        const auto for_columns = [&](auto f) {
#pragma unroll 2
          for (u32 c = 0; c < kSumTile; ++c) {
            if (c < count) f(u64{column} + c, sums[c]);
          }
        };
        if (first != 0) for_columns([&](u64 c, Wide<Word>& s) { s = team.load(out + c * args.out.stride + offset); });
        for (u32 d = first; d < end; d += kKeyDigits) {
          if (d != first && (d - first) % Rules::kTerms == 0)
            for_columns([&](u64, Wide<Word>& s) { s = Rules::reduce(s, limb); });
          Word x[kKeyDigits] = {}, keys[kKeyDigits][kSumTile] = {};
#pragma unroll 4
          for (u32 j = 0; j < kKeyDigits; ++j) {
            if (d + j >= end) break;
            for (u32 c = 0; c < kSumTile; ++c)
              if (c < count)
                keys[j][c] = team.load(key + (u64{d + j} * args.columns + column + c) * args.key.stride + offset);
            x[j] =
                d + j == at.limb_digit ? team.load(operand_word(offset)) : tile.load((d + j - first) * words + index);
          }
#pragma unroll 4
          for (u32 j = 0; j < kKeyDigits; ++j) {
            if (d + j >= end) break;
            if (d + j != at.limb_digit) x[j] = Rules::forward_canonical(x[j], limb);
            for (u32 c = 0; c < kSumTile; ++c)
              if (c < count) sums[c].add_product(x[j], keys[j][c]);
          }
        }
        for_columns(
            [&](u64 c, Wide<Word>& s) { team.store(out + c * args.out.stride + offset, Rules::reduce(s, limb)); });
      }
    }
  }

  // Computes one pass of the transforms of digits first .. end - 1.
  template <class Team, class Tile>
  static constexpr void transform(Team& team, const Args& args, const Tile& tile, const KeyTile& at, u32 lane,
                                  const Range& range) {
    const NttPart& part = at.part;
    const u32 number = lane >> (part.lanes_log() + part.sets_log), d = range.first + number;
    if (d >= range.end || d == at.limb_digit) return;
    Word* const digit = const_cast<Word*>(at.of(args.digits, args.shape.count, part.log_n)) + d * args.digits.stride;
    const Slot<Team> slot{team,
                          part,
                          {part, at.unit, at.first_set, digit},
                          at.limb,
                          args.table + (u64{at.unit.limb} << part.log_n),
                          {tile, number * part.words()}};
    ForwardNtt<Word, Rules>::pass(slot, lane & (part.lanes() - 1), range.t0);
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    run_part(team, args, args.part);
  }

  // `shape` has the constants of the part, except sets_log. args.part has sets_log, which depends on the number of
  // digits.
  template <class Team>
  static constexpr void run_part(Team& team, const Args& args, const NttPart& shape) {
    const KeyTile at(team, args, shape);
    const NttPart& part = at.part;
    const auto tile = team.template shared<Word>(args.group * part.words());
    for (u32 first = 0; first < args.shape.count; first += args.group) {
      const u32 end = min(first + args.group, args.shape.count);
      for (u32 t0 = 0; t0 < part.log; t0 += t0 == 0 ? part.first_pass() : kRadixLog)
        team.phase([&](u32 lane) { transform(team, args, tile, at, lane, {first, end, t0}); });
      team.phase([&](u32 lane) { sum(team, args, tile, at, lane, {first, end, 0}); });
    }
  }
};

}  // namespace ringfort::device
