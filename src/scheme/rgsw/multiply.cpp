// SPDX-License-Identifier: Apache-2.0
// The full product BD(a) x b of two RGSW ciphertexts: 2 l independent external products, one for each row of a
// [KhedrGulakVaikuntanathan14]. Noise: the rows' own noise times b's plaintext, and the noise of one external product.
// The rows of b are independent encryptions, or b is itself a product: then they have an error in common, the means of all
// digits (1/2 in size, 2 l n of them) add it up, and what is left is a sum that is random in the digits alone.
#include <algorithm>
#include <cmath>

#include "scheme/rgsw/external_product.h"
#include "scheme/rgsw/operands.h"

namespace ringfort::rgsw {

namespace {

// A row of the product has at most this many times the deviation of b's rows.
double product_factor(const Bits::State& b) {
  const Context::State& c = *b.context;
  const double random = std::sqrt(noise_bound(c.p, b.mode).product_gain);
  return b.shared_errors ? static_cast<double>(c.p.digits) * c.p.n + c.bound_factor * random : random;
}

}  // namespace

Bits multiply(const Bits& a, const Bits& b, Worker& worker) {
  const Bits::State &x = a.state(), &y = b.state();
  require_equal_sizes(x, y);
  const double largest = static_cast<double>(std::max(std::abs(y.low), std::abs(y.high)));
  const double deviation = largest * x.deviation + product_factor(y) * y.deviation + largest * std::sqrt(noise_bound(x.context->p, y.mode).drop);
  const auto [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  Bits out = make_result(x, worker.state(), low, high, deviation);
  if (y.mode == Mode::public_key) out.state().mode = Mode::public_key;
  out.state().shared_errors = true;
  Worker::State& w = worker.state();
  const Ring& ring = x.context->ring;
  for (u32 i = 0; i < x.count; ++i) {
    for (u32 r = 0; r < x.context->rows; ++r) {
      const Slice<Eval> copy = w.product.all();
      ring.copy(w.stream, copy, x.row(i, r));
      product_into(out.state().row(i, r), false, ring.inverse(w.stream, w.product.all()), y.bit(i), w);
    }
  }
  return out;
}

}  // namespace ringfort::rgsw
