// SPDX-License-Identifier: Apache-2.0
// Cooley-Tukey and Gentleman-Sande transforms modulo x^n + 1. The powers of psi (backend/plan.h) are merged into their
// twiddle factors [Shivdikar22, Alg. 5, 6]. `Rules` (kernels/limb.h) has the butterflies, each of which combines two
// points with a twiddle factor. It also determines the range of residues between two parts. Results are canonical.
// Coefficients are in natural order, and evaluations in bit-reversed order. A block computes a whole transform, or one
// part of its stages (kernels/ntt_shape.h). A *set* is one of the sub-transforms that a block computes in a part. The
// functors In and Out (kernels/ntt_ends.h) can replace the first loads and the last stores of a transform.
#pragma once

#include "backend/device/kernels/ntt_ends.h"
#include "backend/device/kernels/ntt_shape.h"
#include "backend/device/team.h"

namespace ringfort::device {

template <class Word, class In, class Out>
struct NttArgs {
  Batch<Word> batch;
  const Limb<Word>* limbs;    // constants of the limbs of the batch
  const Factor<Word>* table;  // n entries for each limb, in the order of NttPart::entry
  u32 polynomials;
  NttPart part;
  typename In::Args in;
  typename Out::Args out;
};

[[nodiscard]] constexpr Grid ntt_grid(const NttPart& part, u32 transforms, u32 word_bytes) {
  return {transforms * part.blocks_of_limb(), part.lanes(), part.words() * word_bytes};
}

// The addresses of the points e = 0 .. 15 of a lane, in shared memory and in the limb. swizzle(x ^ y) equals
// swizzle(x) ^ swizzle(y). The bits that e sets are zero in the address of point 0. Therefore a lane computes the
// address of point 0 with swizzle(), and every other address with one more operation.
template <class Word>
struct NttAddresses {
  u32 first, shared_log;  // address of point 0 in shared memory; log2 of the distance between two points there
  u64 first_offset;
  u32 offset_log;
  constexpr NttAddresses(u32 position, u32 position_log, u32 of_limb, u32 of_limb_log)
      : first(swizzle<Word>(position)),
        shared_log(position_log),
        first_offset(of_limb),
        offset_log(of_limb_log) {}
  // swizzle() changes only the bits that select the bank. Therefore only these bits need an exclusive or. The higher
  // bits are added. This addition is free if e and shared_log are constants.
  [[nodiscard]] constexpr u32 shared(u32 e) const {
    constexpr u32 kBanks = 31;
    const u32 distance = e << shared_log;
    return (first ^ (swizzle<Word>(distance) & kBanks)) + (distance & ~kBanks);
  }
  [[nodiscard]] constexpr u64 offset(u32 e) const { return first_offset + (u64{e} << offset_log); }
};

// These functions load and store a row: 16 bytes of shared memory. They use one access if the shared memory of the team
// (device/team.h) has functions for rows.
template <class Word, class Tile>
[[nodiscard]] constexpr Row<Word> load_row(const Tile& tile, u32 index) {
  if constexpr (requires { tile.load_row(index); }) {
    return tile.load_row(index);
  } else {
    Row<Word> row;
    for (u32 i = 0; i < kRowWords<Word>; ++i) row.words[i] = tile.load(index + i);
    return row;
  }
}
template <class Word, class Tile>
constexpr void store_row(const Tile& tile, u32 index, const Row<Word>& row) {
  if constexpr (requires { tile.store_row(index, row); }) {
    tile.store_row(index, row);
  } else {
    for (u32 i = 0; i < kRowWords<Word>; ++i) tile.store(index + i, row.words[i]);
  }
}

// Tells whether transforms move whole rows. For rows of 64-bit words, NVIDIA's assembler moves so many registers that
// the kernel has more instructions than with single words.
template <class Word>
inline constexpr bool kHasRows = sizeof(Word) == 4;

// These functions load and store the points of a lane in shared memory. If `rows` is true, the points are neighbours.
template <class Word, class Tile>
constexpr void load_points(const Tile& tile, const NttAddresses<Word>& addresses, u32 points, bool rows,
                           Word (&x)[kRadix]) {
  if (kHasRows<Word> && rows) {
#pragma unroll 8
    for (u32 e = 0; e < kRadix; e += kRowWords<Word>) {
      const Row<Word> row = load_row<Word>(tile, addresses.shared(e));
#pragma unroll 4
      for (u32 i = 0; i < kRowWords<Word>; ++i) x[e + i] = row.words[i];
    }
    return;
  }
#pragma unroll 16
  for (u32 e = 0; e < kRadix; ++e) x[e] = e < points ? tile.load(addresses.shared(e)) : 0;
}
template <class Word, class Tile>
constexpr void store_points(const Tile& tile, const NttAddresses<Word>& addresses, u32 points, bool rows,
                            const Word (&x)[kRadix]) {
  if (kHasRows<Word> && rows) {
#pragma unroll 8
    for (u32 e = 0; e < kRadix; e += kRowWords<Word>) {
      Row<Word> row;
#pragma unroll 4
      for (u32 i = 0; i < kRowWords<Word>; ++i) row.words[i] = x[e + i];
      store_row<Word>(tile, addresses.shared(e), row);
    }
    return;
  }
#pragma unroll 16
  for (u32 e = 0; e < kRadix; ++e) {
    if (e < points) tile.store(addresses.shared(e), x[e]);
  }
}

// The sub-transforms of a block, and the points of each lane.
template <class Word>
struct NttBlock {
  NttPart part;
  Unit unit;
  u32 first_set;
  Word* words;  // words of the limb

  template <class In, class Out>
  constexpr NttBlock(u32 block, const NttArgs<Word, In, Out>& args, const NttPart& of)
      : part{of.log_n, of.first, of.log, of.sets_log} {
    const u32 number = block / part.blocks_of_limb();
    unit = unit_of(number, args.polynomials);
    unit.limb = In::limb(args.in, unit.limb);
    first_set = (block - number * part.blocks_of_limb()) << part.sets_log;
    words = unit.of(args.batch, part.log_n);
  }
  // Sets the members one by one, because OpenCL's kernels cannot copy a struct as a whole (gpu/opencl.h).
  constexpr NttBlock(const NttPart& of, const Unit& with, u32 set, Word* at)
      : part{of.log_n, of.first, of.log, of.sets_log},
        unit{with.polynomial, with.limb},
        first_set(set),
        words(at) {}
  [[nodiscard]] constexpr u32 set(u32 lane) const {
    return part.has_columns() ? lane & ((1u << part.sets_log) - 1) : lane >> part.lanes_log();
  }
  [[nodiscard]] constexpr u32 lane_of_set(u32 lane) const {
    return part.has_columns() ? lane >> part.sets_log : lane & ((1u << part.lanes_log()) - 1);
  }
  // Returns the addresses of the points base + e 2^step_log of a set.
  [[nodiscard]] constexpr NttAddresses<Word> addresses(u32 set, u32 base, u32 step_log) const {
    if (!part.has_columns())
      return {set << part.log | base, step_log, ((first_set + set) << part.log) + base, step_log};
    const u32 columns_log = part.log_n - part.log;
    return {base << part.sets_log | set, step_log + part.sets_log, (base << columns_log) + first_set + set,
            step_log + columns_log};
  }
  // Returns the index of the first twiddle factor of a set.
  [[nodiscard]] constexpr u32 root(u32 set) const { return part.begins() ? 1 : (1u << part.first) + first_set + set; }
};

// A pass. In it, a lane computes `stages` stages of the part, from stage t0 on. The lane has the points base + e
// 2^step_log.
struct NttPass {
  u32 t0, stages, points, skipped, high, base, step_log;
  constexpr NttPass(const NttPart& part, u32 first_stage, u32 lane) : t0(first_stage) {
    stages = t0 == 0 ? part.first_pass() : kRadixLog;
    points = 1u << part.points_log();
    skipped = kRadixLog - part.points_log();
    step_log = part.log - t0 - part.points_log();
    high = lane >> step_log;
    base = high << (part.log - t0) | (lane & ((1u << step_log) - 1));
  }
  // Tells whether the points of a lane are neighbours in shared memory.
  [[nodiscard]] constexpr bool has_rows(const NttPart& part) const {
    return step_log == 0 && points == kRadix && !part.has_columns();
  }
};

// The butterflies of a pass on the registers x of a lane. Every loop has a constant length, so that x stays in
// registers. Conditions have the same value in all lanes.
template <class Word, class Rules>
struct NttLane {
  const NttPart& part;
  const Factor<Word>* table;
  u32 root;
  Limb<Word> limb;

  // Calls f(first point, second point, twiddle factor) for each butterfly of a stage of the pass.
  template <u32 kStage, class Team, class F>
  constexpr void stage(Team& team, const NttPass& pass, F f) const {
    constexpr u32 kHalf = kRadix >> (kStage + 1);
    const u32 u = kStage - pass.skipped;
    if (kStage < pass.skipped || u >= pass.stages) return;
#pragma unroll 8
    for (u32 group = 0; group < 1u << kStage; ++group) {
      if (group >> u == 0) {
        const auto w = team.load_table(table + part.entry(root, pass.t0 + u, pass.t0, pass.high, group));
#pragma unroll 8
        for (u32 j = 2 * kHalf * group; j < 2 * kHalf * group + kHalf; ++j) f(j, j + kHalf, w);
      }
    }
  }

  template <class Team>
  constexpr void forward(Team& team, const NttPass& pass, Word (&x)[kRadix]) const {
    const auto butterfly = [&](u32 i, u32 j, Factor<Word> w) { Rules::forward(x[i], x[j], w, limb); };
    stage<0>(team, pass, butterfly);
    stage<1>(team, pass, butterfly);
    stage<2>(team, pass, butterfly);
    stage<3>(team, pass, butterfly);
  }

  template <class Team>
  constexpr void inverse(Team& team, const NttPass& pass, Word (&x)[kRadix]) const {
    const auto butterfly = [&](u32 i, u32 j, Factor<Word> w) { Rules::inverse(x[i], x[j], w, limb); };
    stage<3>(team, pass, butterfly);
    stage<2>(team, pass, butterfly);
    stage<1>(team, pass, butterfly);
    stage<0>(team, pass, butterfly);
  }
};

// Members of forward and inverse transforms: the block, its constants, and its shared memory.
template <class Team, class Word, class Rules, class In, class Out>
struct NttBody {
  using Args = NttArgs<Word, In, Out>;
  using Tile = typename Team::template Shared<Word>;

  Team& team;
  const Args& args;
  NttPart part;
  NttBlock<Word> block;
  Limb<Word> limb;
  const Factor<Word>* table;
  Tile tile;

  constexpr NttBody(Team& of, const Args& with, const NttPart& shape)
      : team(of),
        args(with),
        part{shape.log_n, shape.first, shape.log, shape.sets_log},
        block(of.block(), with, shape),
        limb(of.load_table(with.limbs + block.unit.limb)),
        table(with.table + (u64{block.unit.limb} << part.log_n)),
        tile(of.template shared<Word>(part.words())) {}
  // For a caller that already has the constants and the shared memory of the block (kernels/cluster.h).
  constexpr NttBody(Team& of, const Args& with, const NttPart& shape, const Limb<Word>& constants, const Tile& shared)
      : team(of),
        args(with),
        part{shape.log_n, shape.first, shape.log, shape.sets_log},
        block(of.block(), with, shape),
        limb(constants),
        table(with.table + (u64{block.unit.limb} << part.log_n)),
        tile(shared) {}

  [[nodiscard]] constexpr NttPass pass(u32 lane, u32 t0) const { return {part, t0, block.lane_of_set(lane)}; }
  [[nodiscard]] constexpr NttLane<Word, Rules> registers(u32 lane) const {
    return {part, table, block.root(block.set(lane)), limb};
  }
  [[nodiscard]] constexpr Spot<Word> spot(u64 offset) const { return {block.unit, offset, part.log_n}; }
  [[nodiscard]] constexpr Word load(u64 offset, bool through) const {
    if (through) return In::template load<Rules>(team, args.in, block.words, limb, spot(offset));
    return team.load(block.words + offset);
  }
  constexpr void store(u64 offset, Word x, bool through) const {
    if (through) Out::template store<Rules>(team, args.out, block.words, x, limb, spot(offset));
    else team.store(block.words + offset, x);
  }
  // Returns a result of the last stage of an inverse transform, divided by n. For results in the upper half, the last
  // twiddle factor already includes 1/n. Therefore only results in the lower half are divided here.
  [[nodiscard]] constexpr Word divided(Word x, bool is_lower) const {
    return Rules::inverse_canonical(is_lower ? Rules::scaled(x, limb) : x, limb);
  }
  // Divides the words of the block among the lanes; neighbouring lanes get neighbouring words. Calls f(address in
  // shared memory, offset in the limb) for each word of this lane.
  template <class F>
  constexpr void for_own_words(u32 lane, F f) const {
    const u32 lanes_log = part.lanes_log() + part.sets_log;
    const NttAddresses<Word> addresses(lane, lanes_log, (block.first_set << part.log) + lane, lanes_log);
#pragma unroll 16
    for (u32 e = 0; e < kRadix; ++e) {
      if (e >> part.points_log() != 0) break;
      f(addresses.shared(e), addresses.offset(e));
    }
  }
  // Divides the rows of the block in the same way. Calls f(address in shared memory, row of the limb) for each row of
  // this lane. The part has at least 16 points.
  template <class F>
  constexpr void for_own_rows(u32 lane, F f) const {
    constexpr u32 kRowLog = sizeof(Word) == 4 ? 2 : 1;
    const u32 step_log = part.lanes_log() + part.sets_log + kRowLog, first_word = lane << kRowLog;
    const NttAddresses<Word> addresses(first_word, step_log, (block.first_set << part.log) + first_word, step_log);
#pragma unroll 8
    for (u32 e = 0; e < kRadix >> kRowLog; ++e)
      f(addresses.shared(e), reinterpret_cast<Row<Word>*>(block.words + addresses.offset(e)));
  }
};

template <class Word, class Rules, class In = Keep<Word>, class Out = Keep<Word>>
struct ForwardNtt {
  using Args = NttArgs<Word, In, Out>;

  template <class Body>
  static constexpr void pass(const Body& body, u32 lane, u32 t0) {
    const u32 set = body.block.set(lane);
    const NttPass pass = body.pass(lane, t0);
    const NttAddresses<Word> addresses = body.block.addresses(set, pass.base, pass.step_log);
    const bool is_stored = body.part.has_columns() && t0 + pass.stages == body.part.log;
    Word x[kRadix];
    if (t0 == 0) {
#pragma unroll 16
      for (u32 e = 0; e < kRadix; ++e) x[e] = e < pass.points ? body.load(addresses.offset(e), body.part.begins()) : 0;
    } else {
      load_points(body.tile, addresses, pass.points, pass.has_rows(body.part), x);
    }
    body.registers(lane).forward(body.team, pass, x);
    if (!is_stored) return store_points(body.tile, addresses, pass.points, pass.has_rows(body.part), x);
#pragma unroll 16
    for (u32 e = 0; e < kRadix; ++e) {
      if (e < pass.points) body.store(addresses.offset(e), x[e], false);
    }
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    run_part(team, args, args.part);
  }

  template <class Team>
  static constexpr void run_part(Team& team, const Args& args, const NttPart& part) {
    const NttBody<Team, Word, Rules, In, Out> body(team, args, part);
    if (In::omits(args.in, body.block.unit)) return;
    for (u32 t0 = 0; t0 < part.log; t0 += t0 == 0 ? part.first_pass() : kRadixLog)
      team.phase([&](u32 lane) { pass(body, lane, t0); });
    if (part.has_columns()) return;
    team.last_phase([&](u32 lane) { store_tile(team, body, part, lane); });
  }

  // Stores the lane's words of the tile to the limb, as results.
  template <class Team, class Body>
  static constexpr void store_tile(Team& team, const Body& body, const NttPart& part, u32 lane) {
    if (kHasRows<Word> && Out::kHasRows && part.log >= kRadixLog) {
      body.for_own_rows(lane, [&](u32 index, Row<Word>* row) {
        Row<Word> x = load_row<Word>(body.tile, index);
#pragma unroll 4
        for (u32 i = 0; i < kRowWords<Word>; ++i) x.words[i] = Rules::forward_canonical(x.words[i], body.limb);
        team.store(row, x);
      });
      return;
    }
    body.for_own_words(lane, [&](u32 index, u64 offset) {
      body.store(offset, Rules::forward_canonical(body.tile.load(index), body.limb), true);
    });
  }
};

template <class Word, class Rules, class In = Keep<Word>, class Out = Keep<Word>>
struct InverseNtt {
  using Args = NttArgs<Word, In, Out>;

  template <class Body>
  static constexpr void pass(const Body& body, u32 lane, u32 t0) {
    const u32 set = body.block.set(lane);
    const NttPass pass = body.pass(lane, t0);
    const NttAddresses<Word> addresses = body.block.addresses(set, pass.base, pass.step_log);
    const bool is_loaded = body.part.has_columns() && t0 + body.part.points_log() == body.part.log;
    Word x[kRadix];
    if (is_loaded) {
#pragma unroll 16
      for (u32 e = 0; e < kRadix; ++e) x[e] = e < pass.points ? body.load(addresses.offset(e), false) : 0;
    } else {
      load_points(body.tile, addresses, pass.points, pass.has_rows(body.part), x);
    }
    body.registers(lane).inverse(body.team, pass, x);
    if (t0 != 0) return store_points(body.tile, addresses, pass.points, pass.has_rows(body.part), x);
#pragma unroll 16
    for (u32 e = 0; e < kRadix; ++e) {
      if (e < pass.points) {
        if (!body.part.begins()) body.store(addresses.offset(e), x[e], false);
        else body.store(addresses.offset(e), body.divided(x[e], e < pass.points / 2), true);
      }
    }
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    run_part(team, args, args.part);
  }

  template <class Team>
  static constexpr void run_part(Team& team, const Args& args, const NttPart& part) {
    const NttBody<Team, Word, Rules, In, Out> body(team, args, part);
    if (!part.has_columns()) team.phase([&](u32 lane) { load_tile(team, body, part, lane); });
    for (u32 end = part.log; end > part.first_pass(); end -= kRadixLog)
      team.phase([&](u32 lane) { pass(body, lane, end - kRadixLog); });
    team.last_phase([&](u32 lane) { pass(body, lane, 0); });
  }

  // Loads the lane's words of the tile from the limb.
  template <class Team, class Body>
  static constexpr void load_tile(Team& team, const Body& body, const NttPart& part, u32 lane) {
    if (kHasRows<Word> && In::kHasRows && part.log >= kRadixLog) {
      body.for_own_rows(lane,
                        [&](u32 index, const Row<Word>* row) { store_row<Word>(body.tile, index, team.load(row)); });
      return;
    }
    body.for_own_words(lane, [&](u32 index, u64 offset) { body.tile.store(index, body.load(offset, true)); });
  }
};

}  // namespace ringfort::device
