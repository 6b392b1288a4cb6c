// SPDX-License-Identifier: Apache-2.0
// The transforms of transform.h, one butterfly at a time, for any n >= 2. The engine E computes with scalars. Its
// butterflies ct(a, b, twiddle) and gs(a, b, twiddle) keep values in the engine's own range. Its functions finish() and
// product() return canonical values. The file also contains the fused product of polynomials [Shivdikar22, Alg. 7, 8].
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu::kernels {

// Runs the stages whose butterflies have a distance of at least `shortest`: 1 for the whole transform, 2 for the
// truncated transform, which omits the last stage.
template <class E>
void forward_radix2(const E& e, typename E::Word* a, std::size_t shortest) {
  for (std::size_t m = 1, k = e.n / 2; k >= shortest; m *= 2, k /= 2) {
    for (std::size_t i = 0; i < m; ++i) {
      const typename E::Twiddle twiddle = e.template twiddle<false>(m + i);
      typename E::Word* x = a + 2 * i * k;
      for (std::size_t j = 0; j < k; ++j) e.ct(x[j], x[j + k], twiddle);
    }
  }
  for (std::size_t j = 0; j < e.n; ++j) a[j] = e.finish(a[j]);
}

template <class E>
void inverse_radix2(const E& e, typename E::Word* a, std::size_t shortest) {
  for (std::size_t m = e.n / 2 / shortest, k = shortest; m > 1; m /= 2, k *= 2) {
    for (std::size_t i = 0; i < m; ++i) {
      const typename E::Twiddle twiddle = e.template twiddle<true>(m + i);
      typename E::Word* x = a + 2 * i * k;
      for (std::size_t j = 0; j < k; ++j) e.gs(x[j], x[j + k], twiddle);
    }
  }
  const std::size_t k = e.n / 2;
  for (std::size_t j = 0; k >= shortest && j < k; ++j) e.gs_last(a[j], a[j + k], shortest != 1);
}

// Computes out = a b after truncated transforms. There, a pair of words is a polynomial modulo x^2 - alpha^2, where
// alpha is an odd power of psi. The product of two pairs is u + v alpha^2 + (w - u - v) x (Karatsuba's method). For an
// even pair, alpha^2 is a twiddle. For the next pair, alpha^2 is the negative of this twiddle.
template <class E>
void multiply_pairs(const E& e, typename E::Word* out, const typename E::Word* a, const typename E::Word* b) {
  using W = typename E::Word;
  for (std::size_t i = 0; i < e.n / 2; ++i) {
    const W u = e.multiply(a[2 * i], b[2 * i]), v = e.multiply(a[2 * i + 1], b[2 * i + 1]);
    const W w = e.multiply(e.add(a[2 * i], a[2 * i + 1]), e.add(b[2 * i], b[2 * i + 1]));
    const W z = e.product(v, e.template twiddle<false>(e.n == 2 ? 1 : e.n / 4 + i / 2));
    if (e.n == 2) {  // x^2 = x^n = -1
      out[0] = e.subtract(u, v);
    } else {
      out[2 * i] = i % 2 == 0 ? e.add(u, z) : e.subtract(u, z);
    }
    out[2 * i + 1] = e.subtract(e.subtract(w, u), v);
  }
}

template <class E>
void polymul_radix2(const E& e, typename E::Word* out, typename E::Word* a, typename E::Word* b) {
  forward_radix2(e, a, 2);
  forward_radix2(e, b, 2);
  multiply_pairs(e, out, a, b);
  inverse_radix2(e, out, 2);
}

}  // namespace ringfort::cpu::kernels
