// SPDX-License-Identifier: Apache-2.0
// BFV's product [HPS19] [BEHZ16], with conversions that are exact in integers: both operands are extended, centred, from the
// data primes (Q) to primes of product B > 4 t n Q; tensor product over Q B; times t, divided by Q, rounded (mod_down onto B);
// back to Q. One code path, no floating point. A square is extended once.
#include "scheme/bfv/policy.h"

namespace ringfort::integers {

namespace {

struct Extension {
  const Ring& ring;
  Workspace& work;
  Limbs data, added;

  // out: 2 polynomials over added and data limbs, times `factor`.
  void fill(Slice<Eval> out, Slice<Coeff> raw, const Block& a, u64 factor) const {
    const Stream s = work.stream;
    Slice<Eval> copy = work.take<Eval>(Room::polynomial, 2, data);
    ring.multiply_scalar(s, copy, a.all(), 1);
    const Slice<Coeff> coefficients = ring.inverse(s, std::move(copy));
    ring.base_convert(s, raw.limbs(added), coefficients, Conversion::centred);
    const Slice<Eval> extended = ring.forward(s, raw.limbs(added));
    if (factor != 1) ring.multiply_scalar(s, extended, extended, factor);
    ring.multiply_scalar(s, out.limbs(data), a.all(), factor);
  }
};

}  // namespace

Block Policy<bfv::Scheme>::multiply(const IntegerRing& ring, const Block& a, const Block& b, Workspace& work, Block&& room) {
  const KeyContext::State& c = ring.base();
  const Stream s = work.stream;
  const Limbs data = c.chain.data(a.level), added = ring.extensions[a.level], all{added.first, added.count + data.count};
  const Extension extension{c.ring, work, data, added};
  const Slice<Eval> operands = work.take<Eval>(Room::digits, 4, all);
  const Slice<Coeff> raw = work.take<Coeff>(Room::digits, 4, all);
  extension.fill(operands.part(0, 2), raw.part(0, 2), a, 1);
  if (&a == &b) {
    c.ring.multiply_scalar(s, operands.part(2, 2), operands.part(0, 2), ring.t);
  } else {
    extension.fill(operands.part(2, 2), raw.part(2, 2), b, ring.t);
  }
  Slice<Eval> product = work.take<Eval>(Room::sum, 3, all);
  c.ring.tensor(s, product, operands.part(0, 2), operands.part(2, 2));
  const Slice<Coeff> quotient = work.take<Coeff>(Room::product, 3, added);
  c.ring.mod_down(s, quotient, c.ring.inverse(s, std::move(product)), work.take<Coeff>(Room::dropped, 3, data));
  Block out = make_block(a, b, 3, std::move(room));
  Poly<Coeff> result = Ring::reuse<Coeff>(std::move(out.polynomials));
  c.ring.base_convert(s, result.part(0, 3), quotient, Conversion::centred);
  out.polynomials = c.ring.forward(s, std::move(result));
  return out;
}

}  // namespace ringfort::integers
