// SPDX-License-Identifier: Apache-2.0
// Vectors of 512 bits (AVX-512 F, BW, DQ and VL). The parameter Isa is a tag type. Each instruction set that includes
// this file has its own tag, and therefore its own symbols. With common symbols, the linker could choose code that was
// compiled for instructions that the machine does not have.
#pragma once

#include <immintrin.h>

#include "backend/cpu/kernels/emulate.h"

namespace ringfort::cpu::kernels {

template <class Isa>
struct Lanes64x8 {
  using Word = u64;
  using V = u64 __attribute__((vector_size(64)));
  using Signed = i64 __attribute__((vector_size(64)));
  static constexpr unsigned kLanes = 8, kLogLanes = 3, kMultiplierBits = 64;

  [[gnu::always_inline]] static V load(const u64* p) { return (V)_mm512_loadu_si512(p); }
  [[gnu::always_inline]] static void store(u64* p, V v) { _mm512_storeu_si512(p, (__m512i)v); }
  [[gnu::always_inline]] static V widen(const u32* p) {
    return (V)_mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  [[gnu::always_inline]] static void narrow(u32* p, V v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi64_epi32((__m512i)v));
  }
  [[gnu::always_inline]] static V broadcast(u64 x) { return (V)_mm512_set1_epi64(static_cast<long long>(x)); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const u64* p) {
    if constexpr (kCount == 2) return (V)_mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    else if constexpr (kCount == 4)
      return (V)_mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    else return load(p);
  }
  [[gnu::always_inline]] static V reduce(V x, V bound) { return (V)_mm512_min_epu64((__m512i)x, (__m512i)(x - bound)); }
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
  [[gnu::always_inline]] static V mulhi(V a, V b) { return mulhi64<Lanes64x8>(a, b); }
  [[gnu::always_inline]] static V mulhi_near(V a, V b, V b1) { return mulhi64_near<Lanes64x8>(a, b, b1); }
  [[gnu::always_inline]] static V odd_words(V v) { return v >> 32; }
  [[gnu::always_inline]] static V mullo(V a, V b) { return (V)_mm512_mullo_epi64((__m512i)a, (__m512i)b); }
  [[gnu::always_inline]] static V difference_of_products(V a, V b, V c, V d) { return mullo(a, b) - mullo(c, d); }
  [[gnu::always_inline]] static V wrap(V v) { return v; }
};

template <class Isa>
struct Lanes32x16 {
  using Word = u32;
  using V = u32 __attribute__((vector_size(64)));
  using Signed = std::int32_t __attribute__((vector_size(64)));
  static constexpr unsigned kLanes = 16, kLogLanes = 4;

  [[gnu::always_inline]] static V load(const u32* p) { return (V)_mm512_loadu_si512(p); }
  [[gnu::always_inline]] static void store(u32* p, V v) { _mm512_storeu_si512(p, (__m512i)v); }
  [[gnu::always_inline]] static V broadcast(u32 x) { return (V)_mm512_set1_epi32(static_cast<int>(x)); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const u32* p) {
    if constexpr (kCount == 2) return (V)_mm512_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    else if constexpr (kCount == 4)
      return (V)_mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    else if constexpr (kCount == 8)
      return (V)_mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    else return load(p);
  }
  [[gnu::always_inline]] static V reduce(V x, V bound) { return (V)_mm512_min_epu32((__m512i)x, (__m512i)(x - bound)); }
  [[gnu::always_inline]] static V mulhi(V a, V b) { return mulhi(a, b, odd_words(b)); }
  [[gnu::always_inline]] static V mulhi(V a, V b, V b_odd) {
    return upper_halves(mul32(a, b), mul32(odd_words(a), b_odd));
  }
  [[gnu::always_inline]] static V mul32(V a, V b) { return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b); }  // even words
  [[gnu::always_inline]] static V upper_halves(V even, V odd) {  // upper halves of all 64-bit lanes
    return (V)_mm512_mask_shuffle_epi32((__m512i)odd, 0x5555, (__m512i)even, _MM_PERM_DDBB);
  }
  [[gnu::always_inline]] static V odd_words(V v) { return (V)_mm512_srli_epi64((__m512i)v, 32); }
  [[gnu::always_inline]] static V lookup(V table, V index) {
    return (V)_mm512_permutevar_ps((__m512)table, (__m512i)index);
  }
  [[gnu::always_inline]] static V mullo(V a, V b) { return a * b; }
  [[gnu::always_inline]] static V difference_of_products(V a, V b, V c, V d) { return a * b - c * d; }
  [[gnu::always_inline]] static V dot_halves(V a, V b) { return (V)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
};

template <class Isa>
struct Doubles8 {  // the type of vector D in doubles.h
  using Word = double;
  using V = double __attribute__((vector_size(64)));
  using Words = Lanes64x8<Isa>;
  static constexpr int kPrecision = 53;
  static constexpr unsigned kLanes = 8, kLogLanes = 3;

  [[gnu::always_inline]] static V load(const double* p) { return _mm512_loadu_pd(p); }
  [[gnu::always_inline]] static void store(double* p, V v) { _mm512_storeu_pd(p, v); }
  [[gnu::always_inline]] static V broadcast(double x) { return _mm512_set1_pd(x); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const double* p) {
    return (V)Words::template repeat<kCount>(reinterpret_cast<const u64*>(p));
  }
  [[gnu::always_inline]] static V multiply_add(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static V multiply_subtract(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
  [[gnu::always_inline]] static V subtract_product(V c, V a, V b) { return _mm512_fnmadd_pd(a, b, c); }
};

}  // namespace ringfort::cpu::kernels
