// SPDX-License-Identifier: Apache-2.0
// The kernels of the encoders for AVX-512 (kernels.h).
#include <immintrin.h>

#include "ring/encoding/table.h"

namespace ringfort::encoding {

namespace {

struct Lines {
  static constexpr unsigned kLanes = 16;
  using V = VectorOf<std::uint32_t, kLanes>::V;
  [[gnu::always_inline]] static V permuted(V v, const std::uint8_t* sources) {
    const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sources)));
    return (V)_mm512_permutexvar_epi32(at, (__m512i)v);
  }
};

struct Lanes {
  static constexpr unsigned kLanes = 8;
  using V = VectorOf<std::uint64_t, kLanes>::V;
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
};

}  // namespace

constinit const Kernels kAvx512 = table<Lines, Lanes>();

}  // namespace ringfort::encoding
