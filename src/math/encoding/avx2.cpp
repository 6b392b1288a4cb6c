// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "math/encoding/convert.h"
#include "math/encoding/kernels.h"
#include "math/encoding/rounding.h"
#include "math/encoding/slots.h"
#include "math/encoding/transform.h"

namespace ringfort::encoding {

namespace {

struct Lines {
  static constexpr unsigned kLanes = 8;
  using V = VectorOf<std::uint32_t, kLanes>::V;
  [[gnu::always_inline]] static V permuted(V v, const std::uint8_t* places) {
    const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places)));
    return (V)_mm256_permutevar8x32_epi32((__m256i)v, at);
  }
};

struct Lanes {
  static constexpr unsigned kLanes = 4;
  using V = VectorOf<std::uint64_t, kLanes>::V;
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
};

}  // namespace

const Kernels kAvx2{
    .to_slots = &Transform<4>::all_to_slots,
    .from_slots = &Transform<4>::all_from_slots,
    .round_reversed = &Rounding<4>::round_reversed,
    .above32 = &above<std::uint32_t>,
    .above64 = &above<std::uint64_t>,
    .lanes = Lines::kLanes,
    .place = &Slots<Lines>::place,
    .pick = &Slots<Lines>::pick,
    .reduce = &Slots<Lines>::reduce,
    .centre = &Slots<Lines>::centre,
    .convert_to_plain = &ToPlain<Lanes>::convert,
};

}  // namespace ringfort::encoding
