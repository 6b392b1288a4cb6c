// SPDX-License-Identifier: Apache-2.0
// Transforms with the schedules of publications, for benchmarks (backend/device/variants.h). The verbs use
// kernels/ntt.h, unless the option `ntt` or `times` of the device chooses a variant. kernels/reductions.h has the
// rules. A transform has log_n stages. Stage s combines points whose distance is n / 2^(s + 1). It has 2^s groups of
// butterflies, each with one twiddle factor. A launch computes the stages [first, first + log) of a batch. The kernels
// are:
//   GlobalStages   one pass in registers, between loads from and stores to global memory
//   InterleavedStages  the same pass for polynomials whose coefficients alternate in memory
//   TileStages     a block keeps its points in shared memory for all stages of the launch
//   Pipeline       in one launch, the columns of some limbs and the rows of others (matrices as in ntt_shape.h)
//   ShuffleStages  the last stages; the lanes of a sub-group of 8 exchange registers
#pragma once

#include "backend/device/kernels/limb.h"
#include "backend/device/kernels/reductions.h"
#include "backend/device/team.h"

namespace ringfort::device {

// The stages of a launch. A kernel with shared memory gives 2^sets_log sub-transforms of 2^log points to a block.
// GlobalStages and ShuffleStages give a unit, which is a limb of a polynomial, to 2^sets_log blocks. InterleavedStages
// does not use sets_log.
struct StageRange {
  u32 first, log, sets_log;
};

template <class Word, class Operand>
struct StageArgs {
  // Limb l of polynomial p begins at words + p * stride + l * n; its coefficients are successive words. For
  // InterleavedStages there is one limb, and coefficient i of polynomial p is at words[i * polynomials + p].
  Batch<Word> batch;
  const Operand* table;         // n entries for each limb; entry 2^s + g is the factor of group g of stage s
  const Modulus<Word>* moduli;  // modulus of each limb
  u32 log_n, polynomials;
  StageRange range;
  // Only for Pipeline. The launch transforms the columns of units [columns_begin, columns_end) with the stages `range`.
  // It transforms the rows of units [rows_begin, rows_end) with the stages `rows`.
  StageRange rows{};
  u32 columns_begin = 0, columns_end = 0, rows_begin = 0, rows_end = 0;
};

// The limb of a polynomial on which a block works.
template <class Word, class Operand>
struct StageUnit {
  Word* words;
  const Operand* table;
  Modulus<Word> modulus;
  u32 log_n;

  template <class Team>
  constexpr StageUnit(Team& team, const StageArgs<Word, Operand>& args, const Unit& unit)
      : words(unit.of(args.batch, args.log_n)),
        table(args.table + (u64{unit.limb} << args.log_n)),
        modulus(team.load_table(args.moduli + unit.limb)),
        log_n(args.log_n) {}
};

template <class Word, class Rules>
using UnitOf = StageUnit<Word, typename Rules::Operand>;

// The points that a lane has in registers, and the stages on them. In stage first + u, the registers of a lane have 2^u
// groups.
template <class Word, class Rules, u32 kLog>
struct Registers {
  static constexpr u32 kPoints = 1u << kLog;
  Word x[kPoints];

  // Calls f(first point, second point, group) for each butterfly of stage kStage of these registers. Loops have
  // constant lengths, so that points stay in registers.
  template <u32 kStage, class F>
  static constexpr void for_stage(F f) {
    constexpr u32 kHalf = kPoints >> (kStage + 1);
#pragma unroll 8
    for (u32 group = 0; group < 1u << kStage; ++group) {
#pragma unroll 8
      for (u32 j = 2 * kHalf * group; j < 2 * kHalf * group + kHalf; ++j) f(j, j + kHalf, group);
    }
  }
  // All points belong to one group of stage `first`. `prefix` is the number of this group.
  template <u32 kStage, class Team>
  constexpr void forward(Team& team, const UnitOf<Word, Rules>& unit, u32 first, u32 stages, u32 prefix) {
    if constexpr (kStage < kLog) {
      if (kStage >= stages) return;
      for_stage<kStage>([&](u32 i, u32 j, u32 group) {
        const auto w = team.load_table(unit.table + (1u << (first + kStage)) + (prefix << kStage) + group);
        Rules::forward(x[i], x[j], w, unit.modulus);
      });
      forward<kStage + 1>(team, unit, first, stages, prefix);
    }
  }
  template <u32 kStage, class Team>
  constexpr void inverse(Team& team, const UnitOf<Word, Rules>& unit, u32 first, u32 stages, u32 prefix) {
    if constexpr (kStage < kLog) {
      if (kStage >= stages) return;
      inverse<kStage + 1>(team, unit, first, stages, prefix);
      for_stage<kStage>([&](u32 i, u32 j, u32 group) {
        const auto w = team.load_table(unit.table + (1u << (first + kStage)) + (prefix << kStage) + group);
        Rules::inverse(x[i], x[j], w, unit.modulus);
      });
    }
  }
  // Computes the stages [first, first + stages).
  template <bool kForward, class Team>
  constexpr void transform(Team& team, const UnitOf<Word, Rules>& unit, u32 first, u32 stages, u32 prefix) {
    if constexpr (kForward) forward<0>(team, unit, first, stages, prefix);
    else inverse<0>(team, unit, first, stages, prefix);
  }
};

// Returns the word in its final range if the launch ends the transform. If not, returns the word unchanged.
template <class Rules, bool kForward, class Word>
[[nodiscard]] constexpr Word finished(Word x, const StageRange& range, u32 log_n, const Modulus<Word>& modulus) {
  if constexpr (kForward) return range.first + range.log == log_n ? Rules::finish_forward(x, modulus) : x;
  else return range.first == 0 ? Rules::finish_inverse(x, modulus) : x;
}

// Computes one pass of a lane on the points `base + e 2^step_log` of a polynomial. Coefficient i is at words[i *
// distance].
template <class Word, class Rules, u32 kLog, bool kForward, class Team>
constexpr void pass_in_registers(Team& team, const UnitOf<Word, Rules>& unit, const StageRange& range, Word* words,
                                 u32 item, u64 distance) {
  const u32 step_log = unit.log_n - kLog - range.first;
  const u32 prefix = item >> step_log, base = prefix << (step_log + kLog) | (item & ((1u << step_log) - 1));
  Registers<Word, Rules, kLog> points;
#pragma unroll 16
  for (u32 e = 0; e < points.kPoints; ++e) points.x[e] = team.load(words + (base + (u64{e} << step_log)) * distance);
  points.template transform<kForward>(team, unit, range.first, kLog, prefix);
#pragma unroll 16
  for (u32 e = 0; e < points.kPoints; ++e)
    team.store(words + (base + (u64{e} << step_log)) * distance,
               finished<Rules, kForward>(points.x[e], range, unit.log_n, unit.modulus));
}

// GlobalStages and InterleavedStages compute kLog stages. In GlobalStages, neighbouring lanes have neighbouring points
// of a polynomial, and a block works on one unit. In InterleavedStages, neighbouring lanes have the same points of
// neighbouring polynomials.
template <class Word, class Rules, u32 kLog, bool kForward>
struct GlobalStages {
  using Args = StageArgs<Word, typename Rules::Operand>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const u32 number = team.block() >> args.range.sets_log;
    const UnitOf<Word, Rules> unit(team, args, unit_of(number, args.polynomials));
    const u32 first = (team.block() - (number << args.range.sets_log)) * team.lanes();
    team.last_phase([&](u32 lane) {
      pass_in_registers<Word, Rules, kLog, kForward>(team, unit, args.range, unit.words, first + lane, 1);
    });
  }
};
template <class Word, class Rules, u32 kLog, bool kForward>
struct InterleavedStages {
  using Args = StageArgs<Word, typename Rules::Operand>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const UnitOf<Word, Rules> unit(team, args, Unit{0, 0});
    const u32 first = team.block() * team.lanes(), items_log = args.log_n - kLog;
    team.last_phase([&](u32 lane) {
      const u32 number = first + lane;
      if (number >= u64{args.polynomials} << items_log) return;
      const u32 item = number / args.polynomials;
      pass_in_registers<Word, Rules, kLog, kForward>(
          team, unit, args.range, unit.words + (number - item * args.polynomials), item, args.polynomials);
    });
  }
};

// The points of a block, which belong to several sub-transforms (sets). If the range ends the transform, the points of
// a set are neighbours. If not, the sets are neighbours: point k of set s is at k 2^columns_log + s of the block's part
// of the polynomial.
template <class Word>
struct Tile {
  StageRange range;
  u32 log_n;
  u32 unit, prefix, column;  // prefix: number of the group of the first set in stage range.first

  constexpr Tile(u32 block, const StageRange& of, u32 log, u32 first_unit)
      : range{of.first, of.log, of.sets_log},
        log_n(log) {
    const u32 blocks_log = log_n - words_log(), number = block & ((1u << blocks_log) - 1);
    unit = first_unit + (block >> blocks_log);
    const u32 columns = has_columns() ? columns_log() - range.sets_log : 0;
    column = has_columns() ? (number & ((1u << columns) - 1)) << range.sets_log : 0;
    prefix = has_columns() ? number >> columns : number << range.sets_log;
  }
  [[nodiscard]] constexpr u32 words_log() const { return range.log + range.sets_log; }
  [[nodiscard]] constexpr u32 columns_log() const { return log_n - range.first - range.log; }
  [[nodiscard]] constexpr bool has_columns() const { return columns_log() != 0; }
  // Returns the position of word i of the block in its polynomial.
  [[nodiscard]] constexpr u32 offset(u32 i) const {
    if (!has_columns()) return (prefix << range.log) + i;
    return (prefix << (log_n - range.first)) + ((i >> range.sets_log) << columns_log()) + column +
           (i & ((1u << range.sets_log) - 1));
  }
  // Returns the index in the block of point k of a set.
  [[nodiscard]] constexpr u32 index(u32 set, u32 k) const {
    return has_columns() ? k << range.sets_log | set : set << range.log | k;
  }
};

// A lane has 2^kLog points in registers. If the number of stages is not a multiple of kLog, the pass that begins at
// range.first has fewer stages.
template <class Word, class Rules, u32 kLog, bool kForward>
struct TileStages {
  using Args = StageArgs<Word, typename Rules::Operand>;

  template <class Team, class Shared>
  static constexpr void pass(Team& team, const UnitOf<Word, Rules>& unit, const Tile<Word>& tile, const Shared& shared,
                             u32 lane, u32 t0) {
    const u32 log = tile.range.log, step_log = log - t0 - kLog;
    const u32 stages = t0 == 0 ? (log - 1) % kLog + 1 : kLog;
    for (u32 item = lane; item < 1u << (tile.words_log() - kLog); item += team.lanes()) {
      // the lanes of a warp work on neighbouring words
      const u32 set = tile.has_columns() ? item & ((1u << tile.range.sets_log) - 1) : item >> (log - kLog);
      const u32 number = tile.has_columns() ? item >> tile.range.sets_log : item & ((1u << (log - kLog)) - 1);
      const u32 high = number >> step_log, base = high << (log - t0) | (number & ((1u << step_log) - 1));
      const u32 prefix = tile.has_columns() ? tile.prefix : tile.prefix + set;
      Registers<Word, Rules, kLog> points;
#pragma unroll 16
      for (u32 e = 0; e < points.kPoints; ++e) points.x[e] = shared.load(tile.index(set, base + (e << step_log)));
      points.template transform<kForward>(team, unit, tile.range.first + t0, stages, prefix << t0 | high);
#pragma unroll 16
      for (u32 e = 0; e < points.kPoints; ++e) shared.store(tile.index(set, base + (e << step_log)), points.x[e]);
    }
  }

  template <class Team, class Shared>
  static constexpr void run_tile(Team& team, const Args& args, const Tile<Word>& tile, const Shared& shared) {
    const UnitOf<Word, Rules> unit(team, args, unit_of(tile.unit, args.polynomials));
    const u32 count = 1u << tile.words_log(), log = tile.range.log;
    team.phase([&](u32 lane) {
      for (u32 i = lane; i < count; i += team.lanes()) shared.store(i, team.load(unit.words + tile.offset(i)));
    });
    const u32 first_pass = (log - 1) % kLog + 1;
    if constexpr (kForward) {
      for (u32 t0 = 0; t0 < log; t0 += t0 == 0 ? first_pass : kLog)
        team.phase([&](u32 lane) { pass(team, unit, tile, shared, lane, t0); });
    } else {
      for (u32 t0 = log - (log == first_pass ? first_pass : kLog);; t0 -= t0 == first_pass ? first_pass : kLog) {
        team.phase([&](u32 lane) { pass(team, unit, tile, shared, lane, t0); });
        if (t0 == 0) break;
      }
    }
    team.last_phase([&](u32 lane) {
      for (u32 i = lane; i < count; i += team.lanes())
        team.store(unit.words + tile.offset(i),
                   finished<Rules, kForward>(shared.load(i), tile.range, unit.log_n, unit.modulus));
    });
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Tile<Word> tile(team.block(), args.range, args.log_n, 0);
    run_tile(team, args, tile, team.template shared<Word>(1u << tile.words_log()));
  }
};

// A forward transform begins with its columns, and ends with its rows. An inverse transform begins with its rows
// [Shivdikar22, Section V-A.3].
template <class Word, class Rules, u32 kLog, bool kForward>
struct Pipeline {
  using Args = StageArgs<Word, typename Rules::Operand>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const u32 columns_log = args.range.log + args.range.sets_log, rows_log = args.rows.log + args.rows.sets_log;
    const u32 column_blocks = (args.columns_end - args.columns_begin) << (args.log_n - columns_log);
    const auto shared = team.template shared<Word>(1u << (columns_log > rows_log ? columns_log : rows_log));
    const bool is_column = team.block() < column_blocks;
    const Tile<Word> tile(is_column ? team.block() : team.block() - column_blocks, is_column ? args.range : args.rows,
                          args.log_n, is_column ? args.columns_begin : args.rows_begin);
    TileStages<Word, Rules, kLog, kForward>::run_tile(team, args, tile, shared);
  }
};

// The last stages of forward transforms, or the first stages of inverse transforms. `range.log` is 4 + kSlotsLog. A
// sub-group of 8 lanes has 2^range.log neighbouring points. Each lane has 2^kSlotsLog slots of two registers
// [Lyashevsky23, Fig. 10, 11]. A block works on one unit.
template <class Word, class Rules, u32 kSlotsLog, bool kForward>
struct ShuffleStages {
  using Args = StageArgs<Word, typename Rules::Operand>;
  static constexpr u32 kLog = kSlotsLog + 1, kRegisters = 1u << kLog, kLanesLog = 3;
  using Points = Registers<Word, Rules, kLog>;

  // Register r of lane l has point 8 r + l of the sub-group before the exchanges. After the exchanges, it has point 16
  // (r / 2) + 2 l + r % 2.
  [[nodiscard]] static constexpr u32 point(bool is_exchanged, u32 lane, u32 r) {
    const u32 l = lane & ((1u << kLanesLog) - 1);
    return is_exchanged ? (r >> 1 << (kLanesLog + 1)) + (l << 1) + (r & 1) : (r << kLanesLog) + l;
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const u32 number = team.block() >> args.range.sets_log;
    const UnitOf<Word, Rules> unit(team, args, unit_of(number, args.polynomials));
    const u32 first = (team.block() - (number << args.range.sets_log)) * team.lanes();
    typename Team::template PerLane<Points> lane_points(team);
    const auto group = [&](u32 lane) { return (first + lane) >> kLanesLog; };  // number of the sub-group in its unit
    const auto words = [&](u32 lane) { return unit.words + (group(lane) << (kLanesLog + kLog)); };
    // This phase has a barrier, because other lanes of the sub-group store to the words that this lane loads.
    team.phase([&](u32 lane) {
#pragma unroll 8
      for (u32 r = 0; r < kRegisters; ++r) lane_points[lane].x[r] = team.load(words(lane) + point(!kForward, lane, r));
    });
    if constexpr (kForward) {
      in_registers(team, args, unit, lane_points, group);
#pragma unroll 3
      for (u32 i = 1; i <= kLanesLog; ++i) {
        const u32 bit = kLanesLog - i;
        exchange(team, lane_points, bit);
        exchanged_stage(team, unit, lane_points, group, bit);
      }
    } else {
#pragma unroll 3
      for (u32 bit = 0; bit < kLanesLog; ++bit) {
        exchanged_stage(team, unit, lane_points, group, bit);
        exchange(team, lane_points, bit);
      }
      in_registers(team, args, unit, lane_points, group);
    }
    team.last_phase([&](u32 lane) {
#pragma unroll 8
      for (u32 r = 0; r < kRegisters; ++r)
        team.store(words(lane) + point(kForward, lane, r),
                   finished<Rules, kForward>(lane_points[lane].x[r], args.range, unit.log_n, unit.modulus));
    });
  }

 private:
  // Computes the stages whose pairs are in registers of one lane.
  template <class Team, class LanePoints, class Group>
  static constexpr void in_registers(Team& team, const Args& args, const UnitOf<Word, Rules>& unit,
                                     LanePoints& lane_points, const Group& group) {
    team.last_phase([&](u32 lane) {
      lane_points[lane].template transform<kForward>(team, unit, args.range.first, kLog, group(lane));
    });
  }

  // In every slot, exchanges two registers: register 1 of a lane in whose number the bit is 0, and register 0 of the
  // lane in whose number it is 1.
  template <class Team, class LanePoints>
  static constexpr void exchange(Team& team, LanePoints& lane_points, u32 bit) {
#pragma unroll 4
    for (u32 slot = 0; slot < kRegisters; slot += 2) {
      typename Team::template PerLane<Word> sent(team);
      team.last_phase([&](u32 lane) {
        sent[lane] = (lane >> bit & 1) != 0 ? lane_points[lane].x[slot] : lane_points[lane].x[slot + 1];
      });
      const auto received = team.shuffle_xor(sent, 1u << bit);
      team.last_phase([&](u32 lane) {
        const bool is_high = (lane >> bit & 1) != 0;
        const Word x = received[lane];
        lane_points[lane].x[slot] = is_high ? x : lane_points[lane].x[slot];
        lane_points[lane].x[slot + 1] = is_high ? lane_points[lane].x[slot + 1] : x;
      });
    }
  }

  // Computes one stage after an exchange. The points of a pair differ in bit `bit`. They are in the two registers of a
  // slot.
  template <class Team, class LanePoints, class Group>
  static constexpr void exchanged_stage(Team& team, const UnitOf<Word, Rules>& unit, LanePoints& lane_points,
                                        const Group& group, u32 bit) {
    const u32 stage = unit.log_n - 1 - bit, bits = kLanesLog - bit;
    team.last_phase([&](u32 lane) {
      Points& points = lane_points[lane];
#pragma unroll 4
      for (u32 slot = 0; slot < kRegisters; slot += 2) {
        // Above the bit, the number of a point has three fields: the sub-group, the slot, and the bits of the lane from
        // `bit` on.
        const u32 above = (group(lane) << kSlotsLog | slot >> 1) << bits | (lane & ((1u << kLanesLog) - 1)) >> bit;
        const auto w = team.load_table(unit.table + (1u << stage) + above);
        if constexpr (kForward) Rules::forward(points.x[slot], points.x[slot + 1], w, unit.modulus);
        else Rules::inverse(points.x[slot], points.x[slot + 1], w, unit.modulus);
      }
    });
  }
};

}  // namespace ringfort::device
