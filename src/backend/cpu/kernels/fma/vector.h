// SPDX-License-Identifier: Apache-2.0
// Vectors of four doubles with fused multiply-add, for doubles.h. avx512/vector.h explains the parameter Isa.
#pragma once

#include "backend/cpu/kernels/avx2/vector.h"

namespace ringfort::cpu::kernels {

template <class Isa>
struct Doubles4 {
  using Word = double;
  using V = double __attribute__((vector_size(32)));
  using Words = Lanes64x4<Isa>;
  static constexpr int kPrecision = 53;
  static constexpr unsigned kLanes = 4, kLogLanes = 2;

  [[gnu::always_inline]] static V load(const double* p) { return _mm256_loadu_pd(p); }
  [[gnu::always_inline]] static void store(double* p, V v) { _mm256_storeu_pd(p, v); }
  [[gnu::always_inline]] static V broadcast(double x) { return _mm256_set1_pd(x); }
  template <unsigned kCount>
  [[gnu::always_inline]] static V repeat(const double* p) {
    if constexpr (kCount == 2) return _mm256_blend_pd(broadcast(p[0]), broadcast(p[1]), 0xC);
    else return load(p);
  }
  [[gnu::always_inline]] static V multiply_add(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static V multiply_subtract(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
  [[gnu::always_inline]] static V subtract_product(V c, V a, V b) { return _mm256_fnmadd_pd(a, b, c); }
};

}  // namespace ringfort::cpu::kernels
