// SPDX-License-Identifier: Apache-2.0
// Chains of external products (external_product.h).
#include "scheme/rgsw/external_product.h"

namespace ringfort::rgsw {

ProductChain::ProductChain(const Context::State& c, Workspace& work)
    : ring_(c.ring),
      gadget_(c.gadget),
      work_(work),
      first_(work.allocate<Coeff>(2, ring_.limbs())),
      second_(work.allocate<Coeff>(2, ring_.limbs())),
      digits_(work.allocate<Coeff>(c.rows, ring_.limbs())),
      accumulator_(first_.all()),
      product_(second_.all()) {}

void ProductChain::external_product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit) const {
  ring_.gadget_product(work_.stream, {sum, digits_.all(), pair, bit}, gadget_, accumulate);
}

void ProductChain::take_product() {
  (void)ring_.inverse(work_.stream, product());
  std::swap(accumulator_, product_);
}

void ProductChain::select(Slice<Eval> bit, bool wanted) {
  external_product_into(product(), false, accumulator_, bit);
  if (wanted) return take_product();
  const Slice<Coeff> product_with_bit = ring_.inverse(work_.stream, product());
  ring_.subtract(work_.stream, accumulator_, accumulator_, product_with_bit);
}

}  // namespace ringfort::rgsw
