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
  static constexpr unsigned kLanes = 16;
  using V = VectorOf<std::uint32_t, kLanes>::V;
  [[gnu::always_inline]] static V permuted(V v, const std::uint8_t* places) {
    const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(places)));
    return (V)_mm512_permutexvar_epi32(at, (__m512i)v);
  }
};

struct Lanes {
  static constexpr unsigned kLanes = 8;
  using V = VectorOf<std::uint64_t, kLanes>::V;
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
};

}  // namespace

const Kernels kAvx512{
    .to_slots = &Transform<8>::all_to_slots,
    .from_slots = &Transform<8>::all_from_slots,
    .round_reversed = &Rounding<8>::round_reversed,
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
