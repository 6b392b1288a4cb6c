// SPDX-License-Identifier: Apache-2.0
// BFV's product [HPS19] [BEHZ16], with conversions that are exact in integers: both operands are extended, centred, from the
// data primes (Q) to primes of product B > 4 t n Q; tensor product over Q B; times t, divided by Q, rounded (mod_down onto B);
// back to Q. One code path, no floating point. A square is extended once.
#include "scheme/bfv/policy.h"

namespace ringfort::integers {

namespace {

struct Extension {
  const Ring& ring;
  const Workspace& work;

  // `raw`: 2 polynomials over other primes, which become those of `a`; `copy` has the limbs of `a`.
  [[nodiscard]] Slice<Eval> fill(Slice<Coeff> raw, Slice<Eval> copy, const Block& a) const {
    ring.multiply_scalar(work.stream, copy, a.all(), 1);
    ring.base_convert(work.stream, raw, ring.inverse(work.stream, std::move(copy)), Conversion::centred);
    return ring.forward(work.stream, std::move(raw));
  }
};

}  // namespace

// The result's memory is where residues are copied to until it is written.
Block Policy<bfv::Scheme>::multiply(const IntegerRing& ring, const Block& a, const Block& b, Workspace& work, Block&& room) {
  const KeyContext::State& c = ring.base();
  const Stream s = work.stream;
  const Limbs data = c.chain.data(a.level), added = ring.extensions[a.level], all{added.first, added.count + data.count};
  const Limbs added_rows = ring.extensions[c.chain.top_level()], all_rows{added_rows.first, added_rows.count + c.chain.data().count};
  Block out = make_block(a, b, 3, std::move(room));
  const Scratch<Eval> product = work.take<Eval>(3, all, all_rows);
  {
    const Scratch<Coeff> operands = work.take<Coeff>(4, added, added_rows);
    const Extension extension{c.ring, work};
    const Slice<Eval> x = extension.fill(operands.part(0, 2), out.part(0, 2), a);
    const Slice<Eval> y = &a == &b ? x : extension.fill(operands.part(2, 2), out.part(0, 2), b);
    c.ring.tensor(s, product.limbs(added), x, y);
  }
  c.ring.tensor(s, product.limbs(data), a.all(), b.all());
  c.ring.multiply_scalar(s, product.all(), product.all(), ring.t);
  const Scratch<Coeff> quotient = work.take<Coeff>(3, added, added_rows);
  Poly<Coeff> result = Ring::reuse<Coeff>(std::move(out.polynomials));
  c.ring.mod_down(s, quotient.all(), c.ring.inverse(s, product.all()), result.part(0, 3));
  c.ring.base_convert(s, result.part(0, 3), quotient.all(), Conversion::centred);
  out.polynomials = c.ring.forward(s, std::move(result));
  return out;
}

}  // namespace ringfort::integers
