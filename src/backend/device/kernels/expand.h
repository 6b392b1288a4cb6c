// SPDX-License-Identifier: Apache-2.0
// The kernel of ExpandUniform: uniform residues from a public seed, at the addresses of math/random.h. It uses 16 bytes
// of the key stream of the cipher ChaCha20 [RFC8439] for each coefficient, and reduces them mod q. A lane computes a
// block of 64 bytes for four neighbouring coefficients. The words pass through shared memory, so that neighbouring
// lanes store neighbouring words.
#pragma once

#include "backend/device/kernels/chunk.h"
#include "backend/device/kernels/ntt_shape.h"
#include "backend/device/team.h"

namespace ringfort::device {

inline constexpr u32 kOfCipherBlock = 4;  // coefficients of a block of the cipher

struct CipherBlock {
  u32 words[16];

  static constexpr void rotate(u32& x, u32 bits) { x = x << bits | x >> (32 - bits); }
  constexpr void quarter_round(u32 a, u32 b, u32 c, u32 d) {
    words[a] += words[b], words[d] ^= words[a], rotate(words[d], 16);
    words[c] += words[d], words[b] ^= words[c], rotate(words[b], 12);
    words[a] += words[b], words[d] ^= words[a], rotate(words[d], 8);
    words[c] += words[d], words[b] ^= words[c], rotate(words[b], 7);
  }
  // Encrypts the block [RFC8439, section 2.3.1].
  constexpr void encrypt() {
    const CipherBlock before = *this;
    for (u32 i = 0; i < 10; ++i) {
#pragma unroll 4
      for (u32 c = 0; c < 4; ++c) quarter_round(c, 4 + c, 8 + c, 12 + c);
#pragma unroll 4
      for (u32 c = 0; c < 4; ++c) quarter_round(c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4);
    }
#pragma unroll 16
    for (u32 i = 0; i < 16; ++i) words[i] += before.words[i];
  }
};

template <class Word>
struct ExpandArgs {
  Batch<Word> out;
  const Limb<Word>* limbs;
  Chunks chunks;
  u32 key[8];
  u32 nonce[2];                 // purpose and object; the third word of the nonce is limb and digit
  u32 first_limb, first_digit;  // the first limb and digit of the batch
};

template <class Word>
[[nodiscard]] constexpr Grid expand_grid(const Chunks& chunks, u32 limbs) {
  const u32 lanes = chunks.log() < 2 ? 1 : (1u << chunks.log()) / kOfCipherBlock;
  return {chunks.grid(limbs).blocks, lanes, lanes * kOfCipherBlock * static_cast<u32>(sizeof(Word))};
}

template <class Word, class Rules>
struct Expand {
  using Args = ExpandArgs<Word>;

  [[nodiscard]] static constexpr CipherBlock cipher_block(const Args& args, const Unit& unit, u32 number) {
    CipherBlock block{{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}};  // "expand 32-byte k" [RFC8439]
#pragma unroll 8
    for (u32 i = 0; i < 8; ++i) block.words[4 + i] = args.key[i];
    block.words[12] = number;
    block.words[13] = args.nonce[0];
    block.words[14] = args.nonce[1];
    block.words[15] = ((args.first_limb + unit.limb) & 0xFFFF) | (args.first_digit + unit.polynomial) << 16;
    block.encrypt();
    return block;
  }

  // Returns the index of word i in shared memory. Lanes store words that are four words apart, and load neighbouring
  // words. With these indices, the lanes use different banks (ntt_shape.h) in both cases.
  [[nodiscard]] static constexpr u32 tile_index(u32 i) { return i ^ (i >> (sizeof(Word) == 4 ? 5 : 4) & 3); }

  template <class Team>
  static constexpr void run_team(Team& team, const Args& args) {
    const Chunk chunk(team.block(), args.chunks);
    const Limb<Word> limb = team.load_table(args.limbs + chunk.unit.limb);
    Word* const out = chunk.unit.of(args.out, args.chunks.log_n);
    const auto tile = team.template shared<Word>(team.lanes() * kOfCipherBlock);
    team.phase([&](u32 lane) {
      const CipherBlock block = cipher_block(args, chunk.unit, chunk.first / kOfCipherBlock + lane);
#pragma unroll 4
      for (u32 e = 0; e < kOfCipherBlock; ++e) {
        const u32* const words = block.words + 4 * e;
        const u64 low = words[0] | u64{words[1]} << 32, high = words[2] | u64{words[3]} << 32;
        tile.store(tile_index(lane * kOfCipherBlock + e), reduce_double<Rules>(low, high, limb));
      }
    });
    team.last_phase([&](u32 lane) {
      chunk.for_own(team, lane, [&](u32 i) { team.store(out + i, tile.load(tile_index(i - chunk.first))); });
    });
  }
};

}  // namespace ringfort::device
