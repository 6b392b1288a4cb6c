// SPDX-License-Identifier: Apache-2.0
// Permutations of the words of a vector of 256 bits, for automorphisms (automorphism.h). avx512/vector.h explains the
// parameter Isa.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

template <class Isa>
struct Permutation256x4 {
  using Index = __m256i;
  static constexpr u32 kLog = 2;
  [[gnu::always_inline]] static Index index(const u8* sources) {
    alignas(32) u32 halves[8];
    for (u32 i = 0; i < 8; ++i) halves[i] = 2u * sources[i / 2] + i % 2;
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(halves));
  }
  [[gnu::always_inline]] static void move(u64* out, const u64* from, Index index) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, index));
  }
};

template <class Isa>
struct Permutation256x8 {
  using Index = __m256i;
  static constexpr u32 kLog = 3;
  [[gnu::always_inline]] static Index index(const u8* sources) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(sources)));
  }
  [[gnu::always_inline]] static void move(u32* out, const u32* from, Index index) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, index));
  }
};

}  // namespace ringfort::cpu::kernels
