// SPDX-License-Identifier: Apache-2.0
// The full product BD(a) x b of two RGSW ciphertexts: 2 l independent external products, one for each row of a
// [KhedrGulakVaikuntanathan14]. Noise: the rows' own noise times b's plaintext, and the noise of one external product.
#include <algorithm>
#include <cmath>

#include "scheme/rgsw/external_product.h"
#include "scheme/rgsw/operands.h"

namespace ringfort::rgsw {

Bits multiply(const Bits& a, const Bits& b, Worker& worker) {
  const Bits::State &x = a.state(), &y = b.state();
  require_equal_sizes(x, y);
  const Noise noise = noise_bound(x.context->p, y.mode);
  const double largest = static_cast<double>(std::max(std::abs(y.low), std::abs(y.high)));
  const double deviation = largest * x.deviation + std::sqrt(noise.product_gain) * y.deviation + largest * std::sqrt(noise.drop);
  const auto [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  Bits out = make_result(x, worker.state(), low, high, deviation);
  if (y.mode == Mode::public_key) out.state().mode = Mode::public_key;
  Worker::State& w = worker.state();
  const Ring& ring = x.context->ring;
  for (u32 i = 0; i < x.count; ++i) {
    for (u32 r = 0; r < x.context->rows; ++r) {
      const Slice<Eval> copy = w.product.all();
      ring.multiply_scalar(w.stream, copy, x.row(i, r), 1);
      product_into(out.state().row(i, r), false, ring.inverse(w.stream, w.product.all()), y.bit(i), w);
    }
  }
  return out;
}

}  // namespace ringfort::rgsw
