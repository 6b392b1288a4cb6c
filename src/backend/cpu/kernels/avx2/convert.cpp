// SPDX-License-Identifier: Apache-2.0
// Base conversion and automorphisms with 256-bit vectors.
#include "backend/cpu/kernels/avx2/vector.h"
#include "backend/cpu/kernels/convert64.h"
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/substitute.h"

namespace ringfort::cpu::avx2 {
namespace {

struct Isa {};
using Lanes64 = kernels::Lanes64x4<Isa>;

struct Places64 {
  using Index = __m256i;
  static constexpr u32 kLog = 2;
  [[gnu::always_inline]] static Index index(const u8* places) {
    alignas(32) u32 halves[8];
    for (u32 i = 0; i < 8; ++i) halves[i] = 2u * places[i / 2] + i % 2;
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(halves));
  }
  [[gnu::always_inline]] static void move(u64* out, const u64* from, Index places) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, places));
  }
};

struct Places32 {
  using Index = __m256i;
  static constexpr u32 kLog = 3;
  [[gnu::always_inline]] static Index index(const u8* places) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places)));
  }
  [[gnu::always_inline]] static void move(u32* out, const u32* from, Index places) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, places));
  }
};

template <class W>
constexpr PlanKernels<W> plan_kernels() {
  PlanKernels<W> k;
  k.convert = &kernels::BlockConversion<kernels::Halves<Lanes64>, W>::convert;
  if constexpr (sizeof(W) == 8) k.lift = &kernels::lift<Lanes64>;
  k.lift_bytes = &kernels::lift_bytes<Lanes64, W>;
  if constexpr (sizeof(W) == 8) k.substitute = &kernels::substitute_vectors<Places64, u64>;
  else k.substitute = &kernels::substitute_vectors<Places32, u32>;
  return k;
}

}  // namespace

constinit const PlanKernels<u32> kPlanKernels32 = plan_kernels<u32>();
constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels<u64>();

}  // namespace ringfort::cpu::avx2
