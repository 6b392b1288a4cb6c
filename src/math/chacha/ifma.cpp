// SPDX-License-Identifier: Apache-2.0
// Computes samples in the registers that hold the words of ChaCha20. A uniform residue takes two 52-bit Shoup products.
// A centred binomial sample takes population counts (numbers of ones). The kernels transpose only the samples, and not
// the words, to the order of the stream. There are a quarter (uniform) or half (binomial) as many samples as words.
#include "math/chacha/rounds_avx512.h"

namespace ringfort::chacha {

namespace {

struct Modulus {
  V two_q, q, minus_q, weight_1, weight_2, quotient_1, quotient_2, low_bits, low_mask, high_shift, mask52;
};

inline Modulus broadcast(const Uniform52& m) {
  constexpr std::uint64_t kMask52 = (std::uint64_t(1) << 52) - 1;
  const auto all = [](std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); };
  return {all(2 * m.q),
          all(m.q),
          all(kMask52 + 1 - m.q),
          all(m.weight[0]),
          all(m.weight[1]),
          all(m.quotient[0]),
          all(m.quotient[1]),
          all(m.low_bits),
          all((std::uint64_t(1) << m.low_bits) - 1),
          all(m.low_bits + 52 - 64),
          all(kMask52)};
}

// Returns (high * 2^64 + low) mod q in every lane. Uniform52 states the bounds. Products use the low 52 bits of their
// factors.
inline __attribute__((always_inline)) V reduce(V low, V high, const Modulus& m) {
  const V x0 = _mm512_and_si512(low, m.low_mask);
  const V x1 = _mm512_shrdv_epi64(low, high, m.low_bits);
  const V x2 = _mm512_srlv_epi64(high, m.high_shift);
  const V first = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x1, m.quotient_1);
  const V quotient = _mm512_madd52hi_epu64(first, x2, m.quotient_2);
  const V weighted = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(x0, x1, m.weight_1), x2, m.weight_2);
  V rest = _mm512_and_si512(_mm512_madd52lo_epu64(weighted, quotient, m.minus_q), m.mask52);
  rest = _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m.two_q));
  return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m.q));
}

// Reduces the words of half of the blocks. Half 0 has the blocks 0 1 4 5 8 9 12 13; half 1 has the blocks 2 3 6 7 10 11
// 14 15. The lanes of column[j] get sample j of each block.
inline __attribute__((always_inline)) void reduce_half(const V (&v)[16], int half, const Modulus& m, V (&column)[4]) {
  for (int j = 0; j < 4; ++j) {
    const V low =
        half == 0 ? _mm512_unpacklo_epi32(v[4 * j], v[4 * j + 1]) : _mm512_unpackhi_epi32(v[4 * j], v[4 * j + 1]);
    const V high = half == 0 ? _mm512_unpacklo_epi32(v[4 * j + 2], v[4 * j + 3])
                             : _mm512_unpackhi_epi32(v[4 * j + 2], v[4 * j + 3]);
    column[j] = reduce(low, high, m);
  }
}

// Stores the eight samples of the blocks 2k and 2k + 1 of the half in row[k], in the order of the stream.
inline __attribute__((always_inline)) void rows_of(const V (&column)[4], V (&row)[4]) {
  const V even_01 = _mm512_unpacklo_epi64(column[0], column[1]), odd_01 = _mm512_unpackhi_epi64(column[0], column[1]);
  const V even_23 = _mm512_unpacklo_epi64(column[2], column[3]), odd_23 = _mm512_unpackhi_epi64(column[2], column[3]);
  const V low_even = _mm512_shuffle_i64x2(even_01, even_23, 0x44),
          high_even = _mm512_shuffle_i64x2(even_01, even_23, 0xEE);
  const V low_odd = _mm512_shuffle_i64x2(odd_01, odd_23, 0x44), high_odd = _mm512_shuffle_i64x2(odd_01, odd_23, 0xEE);
  // The quarters of low_even are the samples 0 1 of block 0, 0 1 of block 2, 2 3 of block 0, and 2 3 of block 2. Here,
  // blocks are numbered within the half.
  row[0] = _mm512_shuffle_i64x2(low_even, low_odd, 0x88);
  row[1] = _mm512_shuffle_i64x2(low_even, low_odd, 0xDD);
  row[2] = _mm512_shuffle_i64x2(high_even, high_odd, 0x88);
  row[3] = _mm512_shuffle_i64x2(high_even, high_odd, 0xDD);
}

void uniform64(const State& state, const Uniform52& modulus, std::uint64_t* out, std::size_t groups) {
  const Modulus m = broadcast(modulus);
  BlockState p = prepare(state);
  std::uint32_t counter = state.words[12];
  V v[16], column[4], row[4];
  for (; groups > 0; --groups, counter += kGroupBlocks, out += kGroupUniform) {
    sixteen_blocks(p, counter, v);
    for (int half = 0; half < 2; ++half) {
      reduce_half(v, half, m, column);
      rows_of(column, row);
      for (int k = 0; k < 4; ++k) _mm512_storeu_si512(out + 16 * k + 8 * half, row[k]);
    }
  }
}

void uniform32(const State& state, const Uniform52& modulus, std::uint32_t* out, std::size_t groups) {
  const Modulus m = broadcast(modulus);
  BlockState p = prepare(state);
  std::uint32_t counter = state.words[12];
  V v[16], column[4], row[4];
  for (; groups > 0; --groups, counter += kGroupBlocks, out += kGroupUniform) {
    sixteen_blocks(p, counter, v);
    for (int half = 0; half < 2; ++half) {
      reduce_half(v, half, m, column);
      rows_of(column, row);
      for (int k = 0; k < 4; ++k) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 16 * k + 8 * half), _mm512_cvtepi64_epi32(row[k]));
      }
    }
  }
}

// Computes one sample plus 21 in each lane, from two words. The sample plus 21 is popcount(bits 0..20) - popcount(bits
// 21..41) + 21. This equals the population count of the 42 bits whose upper 21 bits are complemented. The result is in
// bits 0..7. The other bits are zero.
inline __attribute__((always_inline)) V cbd_plus_21(V low, V high) {
  const V lower = _mm512_popcnt_epi32(_mm512_xor_si512(low, _mm512_set1_epi32(static_cast<int>(0xFFE00000u))));
  const V upper = _mm512_popcnt_epi32(_mm512_andnot_si512(high, _mm512_set1_epi32(0x3FF)));
  return _mm512_add_epi32(lower, upper);
}

inline __attribute__((always_inline)) V four_bytes(const V* v) {
  const V low = _mm512_or_si512(cbd_plus_21(v[0], v[1]), _mm512_slli_epi32(cbd_plus_21(v[2], v[3]), 8));
  const V high = _mm512_or_si512(cbd_plus_21(v[4], v[5]), _mm512_slli_epi32(cbd_plus_21(v[6], v[7]), 8));
  return _mm512_sub_epi8(_mm512_or_si512(low, _mm512_slli_epi32(high, 16)), _mm512_set1_epi8(21));
}

void cbd21(const State& state, std::int8_t* out, std::size_t groups) {
  const V first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const V second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  BlockState p = prepare(state);
  std::uint32_t counter = state.words[12];
  V v[16];
  for (; groups > 0; --groups, counter += kGroupBlocks, out += kGroupCbd) {
    sixteen_blocks(p, counter, v);
    const V front = four_bytes(v), back = four_bytes(v + 8);  // samples 0..3 of each block; samples 4..7 of each block
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(front, first, back));
    _mm512_storeu_si512(out + 64, _mm512_permutex2var_epi32(front, second, back));
  }
  forget(&p, sizeof p);
}

void reduce52(const Uniform52& modulus, const std::uint64_t* low, const std::uint64_t* high, std::uint64_t* out,
              std::size_t count) {
  const Modulus m = broadcast(modulus);
  for (std::size_t i = 0; i < count; i += 8) {
    _mm512_storeu_si512(out + i, reduce(_mm512_loadu_si512(low + i), _mm512_loadu_si512(high + i), m));
  }
}

}  // namespace

const Kernels kIfma = {blocks, uniform64, uniform32, cbd21, reduce52};

}  // namespace ringfort::chacha
