// SPDX-License-Identifier: Apache-2.0
#include "scheme/rgsw/external_product.h"

namespace ringfort::rgsw {

void product_into(Slice<Eval> sum, bool accumulate, Slice<Coeff> pair, Slice<Eval> bit, Worker::State& w) {
  const Ring& ring = w.context->ring;
  ring.decompose(w.stream, w.digits.all(), pair, w.context->gadget);
  Stream reading = w.stream;                             // a ciphertext comes from far memory and is read once
  reading.ahead = &bit.view();
  const Slice<Eval> digits = ring.forward(reading, w.digits.all());
  ring.inner_product(w.stream, sum, digits, bit, w.context->rows, accumulate);
}

void external_product(Slice<Coeff> pair, Slice<Eval> bit, Worker::State& w) { select(pair, bit, true, w); }

void select(Slice<Coeff> pair, Slice<Eval> bit, bool wanted, Worker::State& w) {
  const Ring& ring = w.context->ring;
  product_into(w.product.all(), false, pair, bit, w);
  const Slice<Coeff> product = ring.inverse(w.stream, w.product.all());
  if (wanted) ring.multiply_scalar(w.stream, pair, product, 1);
  else ring.sub(w.stream, pair, pair, product);
}

}  // namespace ringfort::rgsw
