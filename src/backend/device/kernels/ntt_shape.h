// SPDX-License-Identifier: Apache-2.0
// The shape of a part of a transform of n = 2^log_n points. A block computes `log` consecutive stages of 2^sets_log
// sub-transforms. A sub-transform has 2^log points. This header needs no standard library.
//
// A lane has 16 points in registers. In one pass, it computes four stages on them. Between passes, lanes exchange
// points through shared memory. If the number of stages is not a multiple of four, the first pass has fewer stages. A
// sub-transform of fewer than 16 points has one lane.
//
// A transform has one part or two. If it has two parts, the points are a matrix. The part with the first stages
// transforms columns, whose points are 2^(log_n - log) apart. The other part transforms rows. Stages are numbered as in
// forward transforms. Inverse transforms run them backwards.
#pragma once

#include "backend/device/kernels/limb.h"

namespace ringfort::device {

inline constexpr u32 kRadixLog = 4, kRadix = 1u << kRadixLog;  // points of a lane

struct NttPart {
  u32 log_n;
  u32 first;     // first stage; 0 if the part begins the transform
  u32 log;       // number of stages
  u32 sets_log;  // a block has 2^sets_log sub-transforms of one limb

  [[nodiscard]] constexpr bool begins() const { return first == 0; }
  [[nodiscard]] constexpr bool ends() const { return first + log == log_n; }
  [[nodiscard]] constexpr bool has_columns() const { return !ends(); }
  // log2 of the points of a lane, and of the lanes of a sub-transform
  [[nodiscard]] constexpr u32 points_log() const { return log < kRadixLog ? log : kRadixLog; }
  [[nodiscard]] constexpr u32 lanes_log() const { return log - points_log(); }
  [[nodiscard]] constexpr u32 first_pass() const { return (log - 1) % kRadixLog + 1; }  // stages of the first pass
  [[nodiscard]] constexpr u32 lanes() const { return 1u << (lanes_log() + sets_log); }
  [[nodiscard]] constexpr u32 words() const { return 1u << (log + sets_log); }  // words of a block
  [[nodiscard]] constexpr u32 blocks_of_limb() const { return 1u << (log_n - log - sets_log); }

  // Returns an index in the table of twiddle factors. Stage s of the transform has the entries 2^s .. 2^(s+1) - 1.
  // Within a stage, the bits of the lane are the lowest bits of the index. Therefore the lanes of a pass read
  // neighbouring entries.
  [[nodiscard]] constexpr u32 entry(u32 root, u32 stage, u32 t0, u32 lane_bits, u32 group_bits) const {
    return (root << stage) + (group_bits << t0) + lane_bits;
  }
};

// A kernel for one part of transforms of 2^kLogN points. All numbers of the shape are constants, so that its code has
// no loops and no conditions. A lane executes half as many instructions as in the kernel for any shape. `kSetsLog` is
// the sets_log that ntt_parts() chooses.
template <class Kernel, u32 kLogN, u32 kFirst, u32 kLog, u32 kSetsLog>
struct Shaped {
  using Args = typename Kernel::Args;
  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    Kernel::run_part(team, args, NttPart{kLogN, kFirst, kLog, kSetsLog});
  }
};

// Returns the index of word i of the block in shared memory. Some of the low bits of i are combined with higher bits by
// exclusive or. Therefore the lanes of a warp use different banks in all passes, which tests verify. (Shared memory has
// 32 banks. Each gives one word of four bytes at a time; lanes that use one bank wait for each other.) Rows of 32-bit
// words remain rows.
template <class Word>
[[nodiscard]] constexpr u32 swizzle(u32 i) {
  if constexpr (sizeof(Word) == 4) return i ^ (i >> 3 & 12) ^ (i >> 4 & 24);
  else return i ^ (i >> 4 & 15);
}

}  // namespace ringfort::device
