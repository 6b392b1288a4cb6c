// SPDX-License-Identifier: Apache-2.0
// BFV's product [HPS19] [BEHZ16]. Q is the product of the data primes, t the modulus of plaintexts, and n the ring
// degree. First, a base conversion computes the centred operands (integers in [-Q/2, Q/2]) modulo additional primes,
// whose product B is at least 4 t n Q. Then the tensor product (a0 b0, a0 b1 + a1 b0, a1 b1) is computed modulo Q B,
// and multiplied by t. `mod_down` divides the result by Q, rounds it, and leaves it modulo B. A last base conversion
// computes it modulo Q. Every step is a formula in integers (backend/verbs.h). All devices get its exact result, also
// those that represent residues by doubles. A square needs the first conversion for one operand only. A sum of products
// adds several tensor products before it divides them. B limits their number (most_products).
#include <algorithm>

#include "rlwe/arithmetic.h"
#include "scheme/bfv/policy.h"

namespace ringfort::integers {

namespace {

struct Extension {
  const Ring& ring;
  const Workspace& work;

  // Converts the centred polynomials of `a` to the additional primes, and returns their transforms. `raw` and `copy`
  // have as many polynomials as `a`, and their contents are lost. The transforms use the memory of `raw`. `copy` is
  // scratch memory for the same primes as `a`.
  [[nodiscard]] Slice<Eval> fill(Slice<Coeff> raw, Slice<Eval> copy, const RlweCiphertext& a) const {
    ring.copy(work.stream, copy, a.all());
    ring.base_convert(work.stream, raw, ring.inverse(work.stream, std::move(copy)), Conversion::centred);
    return ring.forward(work.stream, std::move(raw));
  }
};

// Computes the sum of the tensor products, multiplies it by t / Q, and rounds once. The memory of the result also
// serves as scratch memory.
RlweCiphertext divided_sum(const IntegerRing& ring, std::span<const Product> products, Workspace& work,
                           RlweCiphertext&& reuse) {
  const KeyContext::State& c = ring.base();
  const Stream s = work.stream;
  const u32 level = products[0].a->level;
  const Limbs data = c.chain.data(level), added = ring.extensions[level], all{added.first, added.count + data.count};
  const Limbs added_rows = ring.extensions[c.chain.top_level()],
              all_rows{added_rows.first, added_rows.count + c.chain.data().count};
  RlweCiphertext out = make_ciphertext(*products[0].a, *products[0].b, 3, std::move(reuse));
  const u32 pairs = 2 * out.count, triples = 3 * out.count;
  const Scratch<Eval> sum = work.allocate<Eval>(triples, all, all_rows);
  {
    const Scratch<Coeff> operands = work.allocate<Coeff>(2 * pairs, added, added_rows);
    const Extension extension{c.ring, work};
    for (const Product& p : products) {
      out.untrusted |= p.a->untrusted || p.b->untrusted;
      const Slice<Eval> x = extension.fill(operands.polynomials(0, pairs), out.slice(0, pairs), *p.a);
      const Slice<Eval> y =
          p.a == p.b ? x : extension.fill(operands.polynomials(pairs, pairs), out.slice(0, pairs), *p.b);
      if (&p == products.data()) {
        c.ring.tensor(s, sum.limbs(added), x, y);
        c.ring.tensor(s, sum.limbs(data), p.a->all(), p.b->all());
      } else {
        add_tensor(c.ring, s, sum.limbs(added), x, y);
        add_tensor(c.ring, s, sum.limbs(data), p.a->all(), p.b->all());
      }
    }
  }
  c.ring.multiply_scalar(s, sum.all(), sum.all(), ring.t);
  const Scratch<Coeff> quotient = work.allocate<Coeff>(triples, added, added_rows);
  Poly<Coeff> result = Ring::reuse<Coeff>(std::move(out.polynomials));
  c.ring.mod_down(s, quotient.all(), c.ring.inverse(s, sum.all()), result.polynomials(0, triples));
  c.ring.base_convert(s, result.polynomials(0, triples), quotient.all(), Conversion::centred);
  out.polynomials = c.ring.forward(s, std::move(result));
  return out;
}

}  // namespace

RlweCiphertext Policy<bfv::Scheme>::multiply(const IntegerRing& ring, const RlweCiphertext& a, const RlweCiphertext& b,
                                             Workspace& work, RlweCiphertext&& reuse) {
  const Product product{&a, &b, {}};
  return divided_sum(ring, {&product, 1}, work, std::move(reuse));
}

void Policy<bfv::Scheme>::add_product(const IntegerRing& ring, RlweCiphertext& sum, const Product& p, Workspace& work) {
  RlweCiphertext product = multiply(ring, *p.a, *p.b, work, {});
  add_to(product, sum, work);
  sum = std::move(product);
}

RlweCiphertext Policy<bfv::Scheme>::inner_product(const IntegerRing& ring, std::span<const Product> products,
                                                  Workspace& work) {
  const std::size_t most = most_products(ring, products[0].a->level);
  RlweCiphertext sum = divided_sum(ring, products.first(std::min(most, products.size())), work, {});
  for (std::size_t at = most; at < products.size(); at += most) {
    add_to(sum, divided_sum(ring, products.subspan(at, std::min(most, products.size() - at)), work, {}), work);
  }
  return sum;
}

}  // namespace ringfort::integers
