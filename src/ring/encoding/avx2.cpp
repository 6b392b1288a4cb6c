// SPDX-License-Identifier: Apache-2.0
// The kernels of the encoders for AVX2 (kernels.h).
#include <immintrin.h>

#include "ring/encoding/table.h"

namespace ringfort::encoding {

namespace {

struct Lines {
  static constexpr unsigned kLanes = 8;
  using V = VectorOf<std::uint32_t, kLanes>::V;
  [[gnu::always_inline]] static V permuted(V v, const std::uint8_t* sources) {
    const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(sources)));
    return (V)_mm256_permutevar8x32_epi32((__m256i)v, at);
  }
};

struct Lanes {
  static constexpr unsigned kLanes = 4;
  using V = VectorOf<std::uint64_t, kLanes>::V;
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
};

}  // namespace

constinit const Kernels kAvx2 = table<Lines, Lanes>();

}  // namespace ringfort::encoding
