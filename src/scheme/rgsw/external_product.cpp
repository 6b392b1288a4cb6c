// SPDX-License-Identifier: Apache-2.0
#include "scheme/rgsw/external_product.h"

namespace ringfort::rgsw {

void product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit, Worker::State& w) {
  w.context->ring.gadget_product(w.stream, {sum, w.digits.all(), pair, bit}, w.context->gadget, accumulate);
}

void select(Slice<Eval> bit, bool wanted, Worker::State& w) {
  const Ring& ring = w.context->ring;
  product_into(w.product.all(), false, w.accumulator.all(), bit, w);
  Poly<Coeff> result = ring.inverse(w.stream, std::move(w.product));
  const Slice<Coeff> product = result.all();
  if (wanted) std::swap(result, w.accumulator);
  w.product = Ring::reuse<Eval>(std::move(result));                    // before what may fail: the worker keeps its memory
  if (!wanted) ring.sub(w.stream, w.accumulator.all(), w.accumulator.all(), product);
}

}  // namespace ringfort::rgsw
