// SPDX-License-Identifier: Apache-2.0
// The kernels of the verbs Lift, which computes residues of integers, and Decompose, which computes digits of residues
// (Gadget in backend/verbs.h). No branch and no index depends on a value.
#pragma once

#include "backend/device/kernels/chunk.h"
#include "backend/device/team.h"

namespace ringfort::device {

struct SignedInteger {  // two's complement, 128 bits
  u64 low, high;
  [[nodiscard]] constexpr u64 sign() const { return u64{0} - (high >> 63); }  // all bits one if negative, else zero
  // Returns |x|.
  [[nodiscard]] constexpr SignedInteger magnitude() const {
    const u64 flipped = low ^ sign(), sum = flipped - sign();
    return {sum, (high ^ sign()) + (sign() & static_cast<u64>(sum == 0))};
  }
};

// Reads integer i of an array of integers of 1, 8 or 16 bytes.
template <class Team>
[[nodiscard]] constexpr SignedInteger load_integer(Team& team, const u8* integers, u32 bytes, u64 i) {
  if (bytes == 16) {
    const auto* const words = reinterpret_cast<const u64*>(integers) + 2 * i;
    return {team.load(words), team.load(words + 1)};
  }
  const i64 value = bytes == 8 ? team.load(reinterpret_cast<const i64*>(integers) + i)
                               : i64{team.load(reinterpret_cast<const i8*>(integers) + i)};
  return {static_cast<u64>(value), static_cast<u64>(value >> 63)};
}

template <class Word>
struct LiftArgs {
  Batch<Word> out;
  const u8* integers;  // n for each polynomial
  const Limb<Word>* limbs;
  Chunks chunks;
  u32 integer_bytes;
};

template <class Word, class Rules>
struct Lift {
  using Args = LiftArgs<Word>;

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    Word* const out = chunk.unit.of(args.out, args.chunks.log_n);
    const u64 first = u64{chunk.unit.polynomial} << args.chunks.log_n;
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) {
        const SignedInteger x = load_integer(team, args.integers, args.integer_bytes, first + i), y = x.magnitude();
        const Word residue = reduce_double<Rules>(y.low, y.high, limb), sign = static_cast<Word>(x.sign());
        team.store(out + i, limb.canonical((residue ^ sign) - sign + (limb.q & sign)));
      });
    });
  }
};

template <class Word>
struct DecomposeArgs {
  Batch<Word> out;
  Batch<const Word> a;
  const Limb<Word>* limbs;
  Chunks chunks;  // the chunks of a
  u32 base_bits, digits, shift, is_centred;
};

// Digits of residues. Residues are below 2^62, so that signed words hold them. A shift by more than 63 gives the same
// as a shift by 63.
template <class Word>
struct Decompose {
  using Args = DecomposeArgs<Word>;

  [[nodiscard]] static constexpr i64 shifted(i64 x, i64 q, const Args& args) {
    const u32 shift = args.shift < 63 ? args.shift : 63;
    if (args.is_centred == 0) return x >> shift;
    x -= q & -static_cast<i64>(x > q / 2);
    return shift == 0 ? x : ((x >> (shift - 1)) + 1) >> 1;
  }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const i64 q = static_cast<i64>(team.load_table(&args.limbs->q)), base = i64{1} << args.base_bits;
    const Word* const a = chunk.unit.of(args.a, args.chunks.log_n);
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) {
        i64 y = shifted(static_cast<i64>(team.load(a + i)), q, args);
        Word* out = args.out.words + u64{chunk.unit.polynomial} * args.digits * args.out.stride + i;
        for (u32 j = 0; j < args.digits; ++j, out += args.out.stride) {
          i64 digit = y & (base - 1);
          if (args.is_centred != 0)
            digit = j + 1 == args.digits ? y : digit - (base & -static_cast<i64>(digit >= base / 2));
          y = (y - digit) >> args.base_bits;
          team.store(out, static_cast<Word>(digit + (q & digit >> 63)));
        }
      });
    });
  }
};

}  // namespace ringfort::device
