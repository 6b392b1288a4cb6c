// SPDX-License-Identifier: Apache-2.0
// Code that the verbs of device `cpu` share. It finds the plan of a view. It loops over limbs and polynomials on up to
// stream.threads threads.
#pragma once

#include <algorithm>

#include "backend/cpu/plan.h"
#include "backend/host.h"
#include "base/threads.h"

namespace ringfort::cpu {

inline const CpuPlan& plan_of(const View& view) { return static_cast<const CpuPlan&>(*view.plan); }

// Calls f(limb, polynomial, index of the limb in the view) for every polynomial and limb of the view.
template <class W, class F>
void for_each_limb(Stream s, const View& view, F f) {
  const CpuPlan& p = plan_of(view);
  const u32 limbs = view.limbs.count;
  for_each_item(s.threads, std::size_t{view.batch} * limbs, [&](std::size_t item, unsigned) {
    const u32 l = static_cast<u32>(item % limbs);
    f(p.limbs<W>()[view.limbs.first + l], item / limbs, l);
  });
}

template <class W>
W* words_at(const View& view, std::size_t polynomial, std::size_t limb) {
  return host::limb_words<W>(view, polynomial, limb, view.plan->n());
}

template <class W>
void automorphism_coefficients(W* out, const W* a, u32 n, u32 galois, W q) {
  u32 exponent = 0;  // i * galois mod 2n
  for (u32 i = 0; i < n; ++i, exponent = (exponent + galois) & (2 * n - 1)) {
    const W negative = mask_if<W>(exponent >= n);
    out[exponent & (n - 1)] = static_cast<W>((a[i] & static_cast<W>(~negative)) | (negate_mod<W>(a[i], q) & negative));
  }
}

// The automorphism x -> x^galois of polynomials in `domain`.
struct Automorphism {
  Domain domain;
  u32 galois;
};
template <class W>
void automorphism(const PreparedLimb<W>& limb, const CpuPlan& plan, W* out, const W* a, const Automorphism& by) {
  if (by.domain == Domain::evaluation) plan.kernels<W>().automorphism(out, a, plan.plan.n, by.galois);
  else automorphism_coefficients(out, a, plan.plan.n, by.galois, static_cast<W>(limb.constants.q));
}

// Returns the operands of an inner product for its first limb. They include all rows and coefficients.
template <class W>
Products<W> products_of(const verb::InnerProduct& p) {
  const std::size_t n = p.out.plan->n();
  const std::size_t out_stride = p.out.limb_stride() * n, a_stride = p.a.limb_stride() * n,
                    b_stride = p.b.limb_stride() * n;
  Products<W> work;
  work.out = host::words<W>(p.out), work.a = host::words<W>(p.a), work.b = host::words<W>(p.b);
  work.out_row = p.columns * out_stride, work.out_column = out_stride, work.a_row = p.inner * a_stride,
  work.a_inner = a_stride;
  work.b_inner = p.columns * b_stride, work.b_column = b_stride;
  work.rows = p.rows, work.inner = p.inner, work.columns = p.columns;
  work.accumulate = p.accumulate;
  return work;
}

// Computes one row of an inner product in one limb. If the limb has no inner_product kernel, uses element-wise kernels.
template <class W>
void inner_product_row(const PreparedLimb<W>& limb, const Products<W>& p) {
  if (limb.kernels->inner_product != nullptr) return limb.kernels->inner_product(limb.constants, p, limb.constants.n);
  for (u32 c = 0; c < p.columns; ++c) {
    for (u32 k = 0; k < p.inner; ++k) {
      const auto kernel = k == 0 && !p.accumulate ? limb.kernels->multiply : limb.kernels->multiply_add;
      kernel(limb.constants, p.out + c * p.out_column, p.a + k * p.a_inner, p.b + k * p.b_inner + c * p.b_column,
             limb.constants.n);
    }
  }
}

}  // namespace ringfort::cpu
