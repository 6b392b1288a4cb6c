// SPDX-License-Identifier: Apache-2.0
// Kernels that measure a device (bench/gpu). They are not verbs. They compute products or butterflies, read or copy
// memory, exchange words through shared memory, or do nothing. Except for Copies and Nothing, each kernel repeats its
// work `rounds` times, so that the launch takes a small part of the time. Lanes store the words that they compute, so
// that no compiler omits the work.
#pragma once

#include "backend/device/kernels/limb.h"
#include "backend/device/team.h"

namespace ringfort::device {

inline constexpr u32 kProbeChains = 8;  // independent values of a lane, so that no step waits for the step before it
inline constexpr u32 kProbeSteps = 16;  // steps on each value in one round
inline constexpr u32 kProbeWords = 16;  // words that a lane exchanges

template <class Word>
struct RateArgs {
  Word* out;  // one word for each lane
  Limb<Word> limb;
  Factor<Word> factor;
  u32 rounds;
};

// Step::of(x, args) performs one step with all values of a lane.
template <class Word, class Step>
struct Rate {
  using Args = RateArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const u32 first = team.block() * team.lanes();
    team.last_phase([&](u32 lane) {
      Word x[kProbeChains];
#pragma unroll 8
      for (u32 i = 0; i < kProbeChains; ++i) x[i] = static_cast<Word>(first + lane + i);
      for (u32 round = 0; round < args.rounds; ++round) {
#pragma unroll 16
        for (u32 step = 0; step < kProbeSteps; ++step) Step::of(x, args);
      }
      Word all = 0;
#pragma unroll 8
      for (u32 i = 0; i < kProbeChains; ++i) all ^= x[i];
      team.store(args.out + first + lane, all);
    });
  }
};

template <class Word>
struct LowProducts {
  static constexpr void of(Word (&x)[kProbeChains], const RateArgs<Word>& args) {
#pragma unroll 8
    for (Word& each : x) each = mul_low(each, args.factor.value) + args.factor.quotient;
  }
};
template <class Word>
struct HighProducts {
  static constexpr void of(Word (&x)[kProbeChains], const RateArgs<Word>& args) {
#pragma unroll 8
    for (Word& each : x) each = mul_high(each, args.factor.value) + args.factor.quotient;
  }
};
template <class Word>
struct Minima {
  static constexpr void of(Word (&x)[kProbeChains], const RateArgs<Word>& args) {
#pragma unroll 8
    for (Word& each : x) each = min<Word>(each, each + args.limb.minus_q);
  }
};
template <class Word>
struct ShoupProducts {
  static constexpr void of(Word (&x)[kProbeChains], const RateArgs<Word>& args) {
#pragma unroll 8
    for (Word& each : x) each = args.limb.times(each, args.factor);
  }
};
template <class Word>
struct Butterflies {
  static constexpr void of(Word (&x)[kProbeChains], const RateArgs<Word>& args) {
#pragma unroll 4
    for (u32 i = 0; i < kProbeChains; i += 2) Lazy<Word>::forward(x[i], x[i + 1], args.factor, args.limb);
  }
};

// `words` is a power of two, and at least the number of lanes of all blocks. Every round begins at another word.
// Therefore no compiler reuses a word of the round before.
template <class Word>
struct SweepArgs {
  Word* out;       // Reads: one word for each lane; Copies: `words` words
  const Word* in;  // `words` words
  u64 words;
  u32 rounds;
};

// Calls f(index) for every index of this lane in a round.
template <class Team, class Word, class F>
constexpr void sweep(Team& team, const SweepArgs<Word>& args, u32 lane, u32 round, F f) {
  const u64 all = u64{team.blocks()} * team.lanes();
  const u64 first = u64{team.block()} * team.lanes() + lane + round * all;
#pragma unroll 4
  for (u64 i = 0; i < args.words; i += all) f((first + i) & (args.words - 1));
}

template <class Word>
struct Reads {
  using Args = SweepArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    team.last_phase([&](u32 lane) {
      Word all = 0;
      for (u32 round = 0; round < args.rounds; ++round)
        sweep(team, args, lane, round, [&](u64 i) { all ^= team.load(args.in + i); });
      team.store(args.out + u64{team.block()} * team.lanes() + lane, all);
    });
  }
};

template <class Word>
struct Copies {
  using Args = SweepArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    team.last_phase([&](u32 lane) {
      sweep(team, args, lane, 0, [&](u64 i) { team.store(args.out + i, team.load(args.in + i)); });
    });
  }
};

template <class Word>
struct ExchangeArgs {
  Word* out;  // one word for each lane
  u32 rounds;
};

// Lanes exchange kProbeWords words through shared memory. There is a barrier after the stores and after the loads.
template <class Word>
struct Exchanges {
  using Args = ExchangeArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    struct Words {
      Word words[kProbeWords];
    };
    const u32 lanes = team.lanes();
    const auto shared = team.template shared<Word>(lanes * kProbeWords);
    typename Team::template PerLane<Words> registers(team);
    team.phase([&](u32 lane) {
#pragma unroll 16
      for (u32 i = 0; i < kProbeWords; ++i) registers[lane].words[i] = static_cast<Word>(lane + i);
    });
    for (u32 round = 0; round < args.rounds; ++round) {
      team.phase([&](u32 lane) {
#pragma unroll 16
        for (u32 i = 0; i < kProbeWords; ++i) shared.store(i * lanes + lane, registers[lane].words[i]);
      });
      team.phase([&](u32 lane) {
        const u32 other = lanes - 1 - lane;
#pragma unroll 16
        for (u32 i = 0; i < kProbeWords; ++i) registers[lane].words[i] = shared.load(i * lanes + other);
      });
    }
    team.last_phase([&](u32 lane) {
      Word all = 0;
#pragma unroll 16
      for (u32 i = 0; i < kProbeWords; ++i) all ^= registers[lane].words[i];
      team.store(args.out + u64{team.block()} * lanes + lane, all);
    });
  }
};

struct NothingArgs {
  u32 unused;
};
template <class Word>
struct Nothing {
  using Args = NothingArgs;
  template <class Team>
  static constexpr void run_team(Team&, const Args&) {}
};

}  // namespace ringfort::device
