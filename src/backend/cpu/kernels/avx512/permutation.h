// SPDX-License-Identifier: Apache-2.0
// Permutations of the words of a 512-bit vector, for automorphism.h. vector.h explains the parameter Isa. To widen and
// permute, the code uses intrinsics with a mask that selects every word. GCC 12 warns about their forms without a mask.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

template <class Isa, class W>
struct Permutation512 {
  using Index = __m512i;
  static constexpr u32 kLog = sizeof(W) == 8 ? 3 : 4;
  [[gnu::always_inline]] static Index index(const u8* sources) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sources));
    if constexpr (sizeof(W) == 8) return _mm512_maskz_cvtepu8_epi64(0xFF, bytes);
    else return _mm512_maskz_cvtepu8_epi32(0xFFFF, bytes);
  }
  [[gnu::always_inline]] static void move(W* out, const W* from, Index index) {
    const __m512i words = _mm512_loadu_si512(from);
    if constexpr (sizeof(W) == 8) _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi64(0xFF, index, words));
    else _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi32(0xFFFF, index, words));
  }
};

}  // namespace ringfort::cpu::kernels
