// SPDX-License-Identifier: Apache-2.0
// RLWE x RGSW: (c0, c1) x C = sum_j digit_j(c0) C_j + sum_j digit_j(c1) C_(l+j), phase m * phase(c) + noise. The RLWE
// pairs are in the coefficient domain, C is in the evaluation domain. A product takes 2 l forward and 2 inverse
// transforms.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// A chain of external products, with scratch memory. The caller writes accumulator() before the first product.
class ProductChain {
 public:
  ProductChain(const Context::State& context, Workspace& work);

  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
  [[nodiscard]] Stream stream() const noexcept { return work_.stream; }
  [[nodiscard]] Slice<Coeff> accumulator() const noexcept { return accumulator_; }
  // Returns memory for one pair of polynomials.
  [[nodiscard]] Slice<Eval> product() const noexcept { return Slice<Eval>(product_.view()); }

  // Computes sum (+)= pair x bit, in the evaluation domain.
  void external_product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit) const;
  // Sets accumulator() to product().
  void take_product();
  // Sets accumulator() to accumulator() x bit if `wanted`, else to accumulator() - accumulator() x bit, which is
  // accumulator() x (1 - bit) with the same noise. May swap the memory of accumulator() and product().
  void select(Slice<Eval> bit, bool wanted);

 private:
  const Ring& ring_;
  const Gadget& gadget_;
  Workspace& work_;
  Scratch<Coeff> first_, second_, digits_;
  Slice<Coeff> accumulator_, product_;
};

}  // namespace ringfort::rgsw
