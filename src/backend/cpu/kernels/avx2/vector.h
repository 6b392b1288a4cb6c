// SPDX-License-Identifier: Apache-2.0
// Vectors of 256 bits (AVX2): 4 lanes of 64 bits, or 8 lanes of 32 bits. avx512/vector.h explains the parameter Isa.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/emulate.h"

namespace ringfort::cpu::kernels {

// swap_halves() exchanges the upper half of x and the lower half of y (transform.h). halves() combines the lower half
// of one vector with the upper half of another.
template <class Isa>
struct Halves256 {
  template <class V>
  [[gnu::always_inline]] static void swap_halves(V& x, V& y) {
    const auto a = (__m256i)x, b = (__m256i)y;
    x = (V)_mm256_inserti128_si256(a, _mm256_castsi256_si128(b), 1);
    y = (V)_mm256_permute2x128_si256(a, b, 0x31);
  }
  template <class V>
  [[gnu::always_inline]] static V halves(V lower, V upper) {
    return (V)_mm256_blend_epi32((__m256i)lower, (__m256i)upper, 0xF0);
  }
};

template <class Isa>
struct Lanes64x4 : Halves256<Isa> {
  using Word = u64;
  using V = u64 __attribute__((vector_size(32)));
  using Signed = i64 __attribute__((vector_size(32)));
  static constexpr unsigned kLanes = 4, kLogLanes = 2, kMultiplierBits = 64;

  [[gnu::always_inline]] static V load(const u64* p) {
    return (V)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static void store(u64* p, V v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
  }
  [[gnu::always_inline]] static V widen(const u32* p) {
    return (V)_mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static void narrow(u32* p, V v) {
    const __m256i even = _mm256_permutevar8x32_epi32((__m256i)v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(even));
  }
  [[gnu::always_inline]] static V broadcast(u64 x) { return (V)_mm256_set1_epi64x(static_cast<long long>(x)); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const u64* p) {
    if constexpr (kCount == 2) return Lanes64x4::halves(broadcast(p[0]), broadcast(p[1]));
    else return load(p);
  }
  template <class V>
  [[gnu::always_inline]] static void interleave(V& x, V& y) {
    const auto a = (__m256i)x, b = (__m256i)y;
    x = (V)_mm256_unpacklo_epi64(a, b);
    y = (V)_mm256_unpackhi_epi64(a, b);
  }
  // Selects by the sign of x - bound. Requires -2^63 <= x - bound < 2^63.
  [[gnu::always_inline]] static V reduce(V x, V bound) {
    const V less = x - bound;
    return (V)_mm256_blendv_pd((__m256d)less, (__m256d)x, (__m256d)less);
  }
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
  [[gnu::always_inline]] static V mulhi(V a, V b) { return mulhi64<Lanes64x4>(a, b); }
  [[gnu::always_inline]] static V mulhi_near(V a, V b, V b1) { return mulhi64_near<Lanes64x4>(a, b, b1); }
  [[gnu::always_inline]] static V odd_words(V v) { return v >> 32; }
  [[gnu::always_inline]] static V mullo(V a, V b) { return a * b; }
  // Returns a b - c d modulo 2^64. A product modulo 2^64 is the product of the lower halves, plus 2^32 times two other
  // products, each of a lower and an upper half. cross() returns these two, modulo 2^32, in the halves of a lane.
  [[gnu::always_inline]] static V difference_of_products(V a, V b, V c, V d) {
    return mul32(a, b) - mul32(c, d) + upper_sum((V)((Halves)cross(a, b) - (Halves)cross(c, d)));
  }
  [[gnu::always_inline]] static V wrap(V v) { return v; }

 private:
  using Halves = u32 __attribute__((vector_size(32)));
  [[gnu::always_inline]] static V cross(V a, V b) {
    return (V)_mm256_mullo_epi32((__m256i)a, _mm256_shuffle_epi32((__m256i)b, _MM_SHUFFLE(2, 3, 0, 1)));
  }
  [[gnu::always_inline]] static V upper_sum(V v) { return (v + (v >> 32)) << 32; }  // 2^32 times the sum of the halves
};

template <class Isa>
struct Lanes32x8 : Halves256<Isa> {
  using Word = u32;
  using V = u32 __attribute__((vector_size(32)));
  using Signed = std::int32_t __attribute__((vector_size(32)));
  static constexpr unsigned kLanes = 8, kLogLanes = 3;

  [[gnu::always_inline]] static V load(const u32* p) {
    return (V)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static void store(u32* p, V v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
  }
  [[gnu::always_inline]] static V broadcast(u32 x) { return (V)_mm256_set1_epi32(static_cast<int>(x)); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const u32* p) {
    if constexpr (kCount == 2) return Lanes32x8::halves(broadcast(p[0]), broadcast(p[1]));
    else if constexpr (kCount == 4) return Lanes32x8::halves(pair(p), pair(p + 2));
    else return load(p);
  }
  [[gnu::always_inline]] static void interleave(V& x, V& y) {
    const auto a = (__m256i)x, b = (__m256i)y;
    x = (V)_mm256_unpacklo_epi32(a, b);
    y = (V)_mm256_unpackhi_epi32(a, b);
  }
  [[gnu::always_inline]] static void deinterleave(V& x, V& y) {
    const auto a = (__m256)x, b = (__m256)y;
    x = (V)_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));
    y = (V)_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1));
  }
  [[gnu::always_inline]] static V pair(const u32* p) {
    return (V)_mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static V reduce(V x, V bound) { return (V)_mm256_min_epu32((__m256i)x, (__m256i)(x - bound)); }
  [[gnu::always_inline]] static V mulhi(V a, V b) { return mulhi(a, b, odd_words(b)); }
  [[gnu::always_inline]] static V mulhi(V a, V b, V b_odd) {
    return upper_halves(mul32(a, b), mul32(odd_words(a), b_odd));
  }
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b); }  // even words
  [[gnu::always_inline]] static V upper_halves(V even, V odd) {  // upper halves of all 64-bit lanes
    return (V)_mm256_blend_epi32(_mm256_shuffle_epi32((__m256i)even, _MM_SHUFFLE(3, 3, 1, 1)), (__m256i)odd, 0xAA);
  }
  [[gnu::always_inline]] static V odd_words(V v) { return (V)_mm256_srli_epi64((__m256i)v, 32); }
  [[gnu::always_inline]] static V lookup(V table, V index) {
    return (V)_mm256_permutevar_ps((__m256)table, (__m256i)index);
  }
  [[gnu::always_inline]] static V mullo(V a, V b) { return a * b; }
  [[gnu::always_inline]] static V difference_of_products(V a, V b, V c, V d) { return a * b - c * d; }
  [[gnu::always_inline]] static V dot_halves(V a, V b) { return (V)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
};

}  // namespace ringfort::cpu::kernels
