// SPDX-License-Identifier: Apache-2.0
// Transforms of 2^14 .. 2^16 points in one launch. A cluster is a group of blocks that access the shared memory of each
// other (backend/device/team.h). It holds all points of a transform in its shared memory. Therefore each word is read
// from global memory once, and written to it once.
//
// The points are a matrix with rows of 2^12 points. A block has two rows. A lane transforms columns in its registers.
// In a forward transform, it then stores the results in the blocks that have the rows of these points. In an inverse
// transform, it loads the points from these blocks. kernels/ntt.h has the butterflies and the passes over rows, here
// with the rules Lazy (u32: q < 2^30, u64: q < 2^62). Benchmarks (docs/notes/0031) use these kernels. A device uses
// them if its option `ntt` names them, or if they are the quickest in the table of times that its option `times` names.
#pragma once

#include "backend/device/kernels/ntt.h"
#include "backend/device/kernels/stages.h"

namespace ringfort::device {

inline constexpr u32 kClusterRowLog = 12, kClusterRowsLog = 1;  // log2: points of a row, rows of a block
inline constexpr u32 kLeastClusterLog = 14, kMostClusterLog = 16;

// These functions return the two parts of a transform of 2^log_n points. The table of twiddle factors has the order of
// these parts.
[[nodiscard]] constexpr NttPart cluster_columns(u32 log_n) { return {log_n, 0, log_n - kClusterRowLog, 0}; }
[[nodiscard]] constexpr NttPart cluster_rows(u32 log_n) {
  return {log_n, log_n - kClusterRowLog, kClusterRowLog, kClusterRowsLog};
}
[[nodiscard]] constexpr Grid cluster_grid(u32 log_n, u32 transforms, u32 word_bytes) {
  const NttPart rows = cluster_rows(log_n);
  return {transforms * rows.blocks_of_limb(), rows.lanes(), rows.words() * word_bytes, rows.blocks_of_limb()};
}

// The kernel of a transform of 2^kLogN points. Entry 0 of a limb's table is 1 / n.
template <class Word, u32 kLogN, bool kForward>
struct ClusterStages {
  using Args = StageArgs<Word, Factor<Word>>;
  using Rules = Lazy<Word>;
  using Operands = NttArgs<Word, Keep<Word>, Keep<Word>>;
  // The parts are functions and not static members. clang would place a static NttPart into memory, where its members
  // are not constants.
  static constexpr u32 kBlocks = cluster_rows(kLogN).blocks_of_limb(), kWords = cluster_rows(kLogN).words();
  static constexpr u32 kPoints = 1u << (kLogN - kClusterRowLog), kColumnsOfLane = kRadix / kPoints, kLanesLog = 9;
  static_assert(cluster_rows(kLogN).lanes() == 1u << kLanesLog);

  // The points of a lane. Column c has the points [c kPoints, (c + 1) kPoints).
  struct Points {
    Word x[kRadix];
  };

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const auto tile = team.template shared<Word>(kWords);
    const Operands operands{.batch = args.batch,
                            .limbs = nullptr,
                            .table = args.table,
                            .polynomials = args.polynomials,
                            .part = {},
                            .in = {},
                            .out = {}};
    // Calls f(rows of the block). The caller must be in a cluster phase.
    const auto with_block = [&](auto f) {
      const Unit unit = unit_of(team.block() / kBlocks, args.polynomials);
      const Word q = team.load_table(&args.moduli[unit.limb].q);
      const Word minus_2q = team.load_table(&args.moduli[unit.limb].constant);
      const Factor<Word> scale = team.load_table(args.table + (u64{unit.limb} << kLogN));
      const Limb<Word> limb{q, static_cast<Word>(Word{0} - q), {}, {}, scale, minus_2q};
      f(NttBody<Team, Word, Rules, Keep<Word>, Keep<Word>>(team, operands, cluster_rows(kLogN), limb, tile));
    };
    if constexpr (kForward) {
      team.start_cluster();
      team.cluster_phase([&] { with_block([&](const auto& body) { forward_columns(team, body); }); });
      team.last_cluster_phase([&] { with_block([&](const auto& body) { forward_rows(team, body); }); });
    } else {
      team.cluster_phase([&] { with_block([&](const auto& body) { inverse_rows(team, body); }); });
      // This is not a last_cluster_phase(): its barrier keeps the block running while other blocks load from its
      // memory.
      team.cluster_phase([&] { with_block([&](const auto& body) { inverse_columns(team, body); }); });
    }
  }

 private:
  template <class Team, class Body>
  static constexpr void forward_columns(Team& team, const Body& body) {
    typename Team::template PerLane<Points> points(team);
    team.last_phase([&](u32 lane) {
#pragma unroll 4
      for (u32 c = 0; c < kColumnsOfLane; ++c) {
        Word x[kRadix] = {};
#pragma unroll 16
        for (u32 e = 0; e < kPoints; ++e) x[e] = team.load(body.block.words + offset(team, lane, c, e));
        const NttPart part = cluster_columns(kLogN);
        NttLane<Word, Rules>{part, body.table, 1, body.limb}.forward(team, NttPass(part, 0, 0), x);
#pragma unroll 16
        for (u32 e = 0; e < kPoints; ++e) points[lane].x[c * kPoints + e] = x[e];
      }
    });
    team.await_cluster();
    team.last_phase([&](u32 lane) {
      for_points(team, lane, [&](u32 c, u32 e, u32 block, u32 index) {
        body.tile.store_of(block, index, points[lane].x[c * kPoints + e]);
      });
    });
  }

  template <class Team, class Body>
  static constexpr void forward_rows(Team& team, const Body& body) {
    for_passes<false>([&](u32 t0) {
      team.phase([&](u32 lane) {
        Word x[kRadix];
        pass(body, lane, t0, x, [&](const auto& row, const NttPass& stages) { row.forward(team, stages, x); });
      });
    });
    team.last_phase([&](u32 lane) { ForwardNtt<Word, Rules>::store_tile(team, body, body.part, lane); });
  }

  template <class Team, class Body>
  static constexpr void inverse_rows(Team& team, const Body& body) {
    team.phase([&](u32 lane) { InverseNtt<Word, Rules>::load_tile(team, body, body.part, lane); });
    for_passes<true>([&](u32 t0) {
      team.phase([&](u32 lane) {
        Word x[kRadix];
        pass(body, lane, t0, x, [&](const auto& row, const NttPass& stages) { row.inverse(team, stages, x); });
      });
    });
  }

  template <class Team, class Body>
  static constexpr void inverse_columns(Team& team, const Body& body) {
    team.last_phase([&](u32 lane) {
      Points points;
      for_points(team, lane, [&](u32 c, u32 e, u32 block, u32 index) {
        points.x[c * kPoints + e] = body.tile.load_of(block, index);
      });
#pragma unroll 4
      for (u32 c = 0; c < kColumnsOfLane; ++c) {
        Word x[kRadix] = {};
#pragma unroll 16
        for (u32 e = 0; e < kPoints; ++e) x[e] = points.x[c * kPoints + e];
        const NttPart part = cluster_columns(kLogN);
        NttLane<Word, Rules>{part, body.table, 1, body.limb}.inverse(team, NttPass(part, 0, 0), x);
#pragma unroll 16
        for (u32 e = 0; e < kPoints; ++e)
          team.store(body.block.words + offset(team, lane, c, e), body.divided(x[e], e < kPoints / 2));
      }
    });
  }

  // Calls f(first stage) for each pass over the rows.
  template <bool kBackwards, class F>
  static constexpr void for_passes(F f) {
#pragma unroll 3
    for (u32 i = 0; i < kClusterRowLog; i += kRadixLog) f(kBackwards ? kClusterRowLog - kRadixLog - i : i);
  }
  // Computes a pass over the rows in shared memory.
  template <class Body, class F>
  static constexpr void pass(const Body& body, u32 lane, u32 t0, Word (&x)[kRadix], F stages) {
    const NttPass pass = body.pass(lane, t0);
    const NttAddresses<Word> addresses = body.block.addresses(body.block.set(lane), pass.base, pass.step_log);
    load_points(body.tile, addresses, kRadix, pass.has_rows(body.part), x);
    stages(body.registers(lane), pass);
    store_points(body.tile, addresses, kRadix, pass.has_rows(body.part), x);
  }

  // Returns the number of column c of a lane. Neighbouring lanes have neighbouring columns.
  template <class Team>
  [[nodiscard]] static constexpr u32 column(const Team& team, u32 lane, u32 c) {
    return (team.rank() * kColumnsOfLane + c) << kLanesLog | lane;
  }
  template <class Team>
  [[nodiscard]] static constexpr u64 offset(const Team& team, u32 lane, u32 c, u32 e) {
    return (u64{e} << kClusterRowLog) + column(team, lane, c);
  }
  // Calls f(c, e, block, index) for all points of a lane. `block` has point e of column c, at `index` in its shared
  // memory.
  template <class Team, class F>
  static constexpr void for_points(const Team& team, u32 lane, F f) {
#pragma unroll 4
    for (u32 c = 0; c < kColumnsOfLane; ++c) {
      const NttAddresses<Word> addresses(column(team, lane, c), kClusterRowLog, 0, 0);
#pragma unroll 16
      for (u32 e = 0; e < kPoints; ++e)
        f(c, e, e >> kClusterRowsLog, addresses.shared(e & ((1u << kClusterRowsLog) - 1)));
    }
  }
};

}  // namespace ringfort::device
