// SPDX-License-Identifier: Apache-2.0
// ChaCha20 [RFC8439], eight blocks at a time. Vector k has word k of all eight blocks. A transposition of 8 x 8 words
// restores the order of the stream.
#include <immintrin.h>

#include <cstring>

#include "math/chacha/kernels.h"

namespace ringfort::chacha {

namespace {

using V = __m256i;

inline V rotate16(V x) {
  return _mm256_shuffle_epi8(x, _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,  //
                                                 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
}
inline V rotate8(V x) {
  return _mm256_shuffle_epi8(x, _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14,  //
                                                 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14));
}
template <int Count>
inline V rotate(V x) {
  return _mm256_or_si256(_mm256_slli_epi32(x, Count), _mm256_srli_epi32(x, 32 - Count));
}

inline void quarter_round(V& a, V& b, V& c, V& d) {
  a = _mm256_add_epi32(a, b), d = rotate16(_mm256_xor_si256(d, a));
  c = _mm256_add_epi32(c, d), b = rotate<12>(_mm256_xor_si256(b, c));
  a = _mm256_add_epi32(a, b), d = rotate8(_mm256_xor_si256(d, a));
  c = _mm256_add_epi32(c, d), b = rotate<7>(_mm256_xor_si256(b, c));
}

// Writes eight words of each of eight blocks. Rows of `to` are 64 bytes apart. Row k gets lane k of every vector.
inline void transpose_to(const V* v, std::uint8_t* to) {
  V pair[8], quad[8];
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
    pair[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    quad[i] = _mm256_unpacklo_epi64(pair[i], pair[i + 2]);
    quad[i + 1] = _mm256_unpackhi_epi64(pair[i], pair[i + 2]);
    quad[i + 2] = _mm256_unpacklo_epi64(pair[i + 1], pair[i + 3]);
    quad[i + 3] = _mm256_unpackhi_epi64(pair[i + 1], pair[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    const V low = _mm256_permute2x128_si256(quad[i], quad[i + 4], 0x20);
    const V high = _mm256_permute2x128_si256(quad[i], quad[i + 4], 0x31);
    _mm256_storeu_si256(reinterpret_cast<V*>(to + 64 * i), low);
    _mm256_storeu_si256(reinterpret_cast<V*>(to + 64 * (i + 4)), high);
  }
}

// Computes eight blocks, and advances the block counter start[12] by eight.
inline void eight_blocks(V (&start)[16], std::uint8_t* out) {
  V v[16];
  for (int i = 0; i < 16; ++i) v[i] = start[i];
  for (int round = 0; round < 10; ++round) {
    quarter_round(v[0], v[4], v[8], v[12]);
    quarter_round(v[1], v[5], v[9], v[13]);
    quarter_round(v[2], v[6], v[10], v[14]);
    quarter_round(v[3], v[7], v[11], v[15]);
    quarter_round(v[0], v[5], v[10], v[15]);
    quarter_round(v[1], v[6], v[11], v[12]);
    quarter_round(v[2], v[7], v[8], v[13]);
    quarter_round(v[3], v[4], v[9], v[14]);
  }
  for (int i = 0; i < 16; ++i) v[i] = _mm256_add_epi32(v[i], start[i]);
  transpose_to(v, out);
  transpose_to(v + 8, out + 32);
  start[12] = _mm256_add_epi32(start[12], _mm256_set1_epi32(8));
}

void blocks(const State& state, std::uint8_t* out, std::size_t count) {
  V start[16];
  for (int i = 0; i < 16; ++i) start[i] = _mm256_set1_epi32(static_cast<int>(state.words[i]));
  start[12] = _mm256_add_epi32(start[12], _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  for (; count >= 8; count -= 8, out += 8 * 64) eight_blocks(start, out);
  if (count > 0) {
    alignas(32) std::uint8_t rest[8 * 64];
    eight_blocks(start, rest);
    std::memcpy(out, rest, count * 64);
    forget(rest, sizeof rest);
  }
  forget(start, sizeof start);
}

}  // namespace

const Kernels kAvx2 = {.blocks = blocks};

}  // namespace ringfort::chacha
