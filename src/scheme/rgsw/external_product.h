// SPDX-License-Identifier: Apache-2.0
// The external product of an RLWE pair (c0, c1) and a Ring-GSW ciphertext C with the rows C_0 .. C_(2l-1):
// (c0, c1) x C = sum_j digit_j(c0) C_j + sum_j digit_j(c1) C_(l+j), for j < l, the number of digits. With
// phase(c) = c0 - t c1 for the secret t, the phase of the product is m * phase(c) plus noise, where m is the plaintext
// of C. RLWE pairs are in the coefficient domain, and C is in the evaluation domain. A product needs 2 l forward
// transforms and 2 inverse transforms.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// A chain of external products, with its scratch memory. The caller writes the first pair to accumulator().
class ProductChain {
 public:
  ProductChain(const Context::State& context, Workspace& work);

  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
  [[nodiscard]] Stream stream() const noexcept { return work_.stream; }
  [[nodiscard]] Slice<Coeff> accumulator() const noexcept { return accumulator_; }
  // Returns memory for one pair of polynomials.
  [[nodiscard]] Slice<Eval> product() const noexcept { return Slice<Eval>(product_.view()); }

  // Computes sum = pair x bit, or adds pair x bit to `sum` if `accumulate` is set. `sum` is in the evaluation domain.
  void external_product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit) const;
  // Sets accumulator() to product().
  void take_product();
  // If `wanted`, sets accumulator() to accumulator() x bit. If not, sets it to accumulator() - accumulator() x bit.
  // This difference is accumulator() x (1 - bit), with the same noise. The call may swap the memory of accumulator()
  // and product().
  void select(Slice<Eval> bit, bool wanted);

 private:
  const Ring& ring_;
  const Gadget& gadget_;
  Workspace& work_;
  Scratch<Coeff> first_, second_, digits_;
  Slice<Coeff> accumulator_, product_;
};

}  // namespace ringfort::rgsw
