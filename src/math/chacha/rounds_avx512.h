// SPDX-License-Identifier: Apache-2.0
// Computes sixteen blocks of ChaCha20 in sixteen AVX-512 registers. Vector k has word k of all blocks. avx512.cpp and
// ifma.cpp include this file, and have different compiler flags. Therefore everything is in an unnamed namespace, and
// each of these files has its own copy.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "math/chacha/kernels.h"

namespace ringfort::chacha {

namespace {

using V = __m512i;

inline __attribute__((always_inline)) void quarter_round(V& a, V& b, V& c, V& d) {
  a = _mm512_add_epi32(a, b), d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 16);
  c = _mm512_add_epi32(c, d), b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 12);
  a = _mm512_add_epi32(a, b), d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 8);
  c = _mm512_add_epi32(c, d), b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 7);
}

// The part of the state that all blocks share. Of the first four quarter rounds, three do not depend on the counter.
// They are computed once for all blocks.
struct BlockState {
  std::uint32_t start[16];
  std::uint32_t first[16];  // the words after the first quarter rounds of columns 1, 2 and 3
};

inline std::uint32_t rotate_word(std::uint32_t x, int count) { return x << count | x >> (32 - count); }

inline BlockState prepare(const State& state) {
  BlockState p;
  std::memcpy(p.start, state.words, sizeof p.start);
  std::memcpy(p.first, state.words, sizeof p.first);
  for (int k = 1; k < 4; ++k) {
    std::uint32_t &a = p.first[k], &b = p.first[4 + k], &c = p.first[8 + k], &d = p.first[12 + k];
    a += b, d = rotate_word(d ^ a, 16);
    c += d, b = rotate_word(b ^ c, 12);
    a += b, d = rotate_word(d ^ a, 8);
    c += d, b = rotate_word(b ^ c, 7);
  }
  return p;
}

inline V all_lanes(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }

inline __attribute__((always_inline)) void diagonal_round(V (&v)[16]) {
  quarter_round(v[0], v[5], v[10], v[15]);
  quarter_round(v[1], v[6], v[11], v[12]);
  quarter_round(v[2], v[7], v[8], v[13]);
  quarter_round(v[3], v[4], v[9], v[14]);
}

// Computes words 0 .. 15 of the blocks counter .. counter + 15.
inline __attribute__((always_inline)) void sixteen_blocks(const BlockState& p, std::uint32_t counter, V (&v)[16]) {
  const V counters =
      _mm512_add_epi32(all_lanes(counter), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  for (int i = 0; i < 16; ++i) v[i] = all_lanes(p.first[i]);
  v[12] = counters;
  quarter_round(v[0], v[4], v[8], v[12]);
  diagonal_round(v);
  for (int round = 1; round < 10; ++round) {
    quarter_round(v[0], v[4], v[8], v[12]);
    quarter_round(v[1], v[5], v[9], v[13]);
    quarter_round(v[2], v[6], v[10], v[14]);
    quarter_round(v[3], v[7], v[11], v[15]);
    diagonal_round(v);
  }
  for (int i = 0; i < 16; ++i) v[i] = _mm512_add_epi32(v[i], i == 12 ? counters : all_lanes(p.start[i]));
}

// Transposes 16 x 16 words, and stores 16 blocks of 64 bytes. Block k is lane k of every vector.
inline __attribute__((always_inline)) void store_blocks(const V (&v)[16], std::uint8_t* out) {
  V pair[16], quad[16];
  for (int i = 0; i < 16; i += 2) {
    pair[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    pair[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {  // quad[i + k] has words i .. i+3 of the blocks k, k+4, k+8, k+12
    quad[i] = _mm512_unpacklo_epi64(pair[i], pair[i + 2]);
    quad[i + 1] = _mm512_unpackhi_epi64(pair[i], pair[i + 2]);
    quad[i + 2] = _mm512_unpacklo_epi64(pair[i + 1], pair[i + 3]);
    quad[i + 3] = _mm512_unpackhi_epi64(pair[i + 1], pair[i + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    const V low_a = _mm512_shuffle_i32x4(quad[k], quad[k + 4], 0x44),
            low_b = _mm512_shuffle_i32x4(quad[k + 8], quad[k + 12], 0x44);
    const V high_a = _mm512_shuffle_i32x4(quad[k], quad[k + 4], 0xEE),
            high_b = _mm512_shuffle_i32x4(quad[k + 8], quad[k + 12], 0xEE);
    _mm512_storeu_si512(out + 64 * k, _mm512_shuffle_i32x4(low_a, low_b, 0x88));
    _mm512_storeu_si512(out + 64 * (k + 4), _mm512_shuffle_i32x4(low_a, low_b, 0xDD));
    _mm512_storeu_si512(out + 64 * (k + 8), _mm512_shuffle_i32x4(high_a, high_b, 0x88));
    _mm512_storeu_si512(out + 64 * (k + 12), _mm512_shuffle_i32x4(high_a, high_b, 0xDD));
  }
}

inline void blocks(const State& state, std::uint8_t* out, std::size_t count) {
  BlockState p = prepare(state);
  std::uint32_t counter = state.words[12];
  V v[16];
  for (; count >= 16; count -= 16, counter += 16, out += 16 * 64) {
    sixteen_blocks(p, counter, v);
    store_blocks(v, out);
  }
  if (count > 0) {
    alignas(64) std::uint8_t rest[16 * 64];
    sixteen_blocks(p, counter, v);
    store_blocks(v, rest);
    std::memcpy(out, rest, count * 64);
    forget(rest, sizeof rest);
  }
  forget(&p, sizeof p);
}

}  // namespace

}  // namespace ringfort::chacha
