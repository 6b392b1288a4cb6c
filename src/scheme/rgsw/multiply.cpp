// SPDX-License-Identifier: Apache-2.0
// The full product BD(a) x b of two Ring-GSW ciphertexts [KhedrGulakVaikuntanathan14]. BD(a), the bit decomposition,
// consists of the digits of a. The product consists of 2 l independent external products, one for each row of a. The
// noise is the noise of a's rows times b's plaintext, plus the noise of one external product. The rows of b are usually
// independent encryptions. But if b itself is a product, its rows have a common error. The mean of a digit is 1/2 or
// -1/2. Therefore the sum over all 2 l n digits multiplies the common error by about l n.
#include <algorithm>
#include <cmath>

#include "scheme/rgsw/external_product.h"
#include "scheme/rgsw/operands.h"

namespace ringfort::rgsw {

namespace {

// Returns the factor by which the product multiplies the standard deviation of b's rows. The result is one part of the
// standard deviation of the product's rows.
double product_factor(const EncryptedBits::State& b) {
  const Context::State& c = *b.context;
  const double random = std::sqrt(noise_bound(c.p, b.mode).product_gain);
  return b.shared_errors ? static_cast<double>(c.p.digits) * c.p.n + c.bound_factor * random : random;
}

}  // namespace

void Evaluator::multiply_into(EncryptedBits& out, const EncryptedBits& a, const EncryptedBits& b) const {
  require_operands(a, b, context_);
  const EncryptedBits::State &x = a.state(), &y = b.state();
  const double largest = static_cast<double>(std::max(std::abs(y.low), std::abs(y.high)));
  const double deviation = largest * x.deviation + product_factor(y) * y.deviation +
                           largest * std::sqrt(noise_bound(x.context->p, y.mode).drop);
  const auto [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  EncryptedBits::State result = describe_result(x, {low, high, deviation});
  if (y.mode == Mode::public_key) result.mode = Mode::public_key;
  result.shared_errors = true;
  const auto work = x.context->workspace(threads_);
  const ProductChain chain(*x.context, *work);
  // `b` must not be overwritten yet, because every row of the product reads all rows of b
  EncryptedBits separate;
  EncryptedBits& to = &out == &b ? separate : out;
  write_result(to, result, [&](EncryptedBits::State& product) {
    const Ring& ring = chain.ring();
    for (u32 i = 0; i < product.count; ++i) {
      for (u32 r = 0; r < product.context->rows; ++r) {
        ring.copy(work->stream, chain.product(), x.row(i, r));
        chain.external_product_into(product.row(i, r), false, ring.inverse(work->stream, chain.product()), y.bit(i));
      }
    }
  });
  if (&out == &b) out = std::move(separate);
}

}  // namespace ringfort::rgsw
