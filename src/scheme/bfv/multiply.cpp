// SPDX-License-Identifier: Apache-2.0
// BFV's product [HPS19] [BEHZ16]. Q is the product of the data primes, t the modulus of plaintexts, and n the ring
// degree. First, a base conversion computes the centred operands (integers in [-Q/2, Q/2]) modulo additional primes,
// whose product B is at least 4 t n Q. Then the tensor product (rlwe/arithmetic.h) is computed modulo Q B, and
// multiplied by t. `mod_down` divides the result by Q, rounds it, and leaves it modulo B. A last base conversion
// computes it modulo Q. Every step is a formula in integers (backend/verbs.h). All devices get its exact result, also
// those that represent residues by doubles. A square needs the first conversion for one operand only. A sum of products
// of two components each adds several tensor products before it divides them. B limits their number (most_products).
// Any other product has a division of its own. If both factors have more components than B allows in one sum, the
// shorter factor is cut into parts, and each part has a division of its own.
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

// Equally many factors a and b, one after the other.
struct Factors {
  Slice<Eval> a, b;
  u32 count;
};

// Writes the tensor product of each a and b to `out`.
void tensors(const Ring& ring, Stream s, Slice<Eval> out, const Factors& of) {
  const u32 k = of.a.batch() / of.count, l = of.b.batch() / of.count, components = k + l - 1;
  if (k == 2 && l == 2) return ring.tensor(s, out, of.a, of.b);
  for (u32 i = 0; i < of.count; ++i)
    tensor(ring, s, out.polynomials(i * components, components), of.a.polynomials(i * k, k),
           of.b.polynomials(i * l, l));
}

// Computes the sum of the tensor products, multiplies it by t / Q, and rounds once. All factors a have equally many
// components, and all factors b have. The memory of the result also serves as scratch memory.
RlweCiphertext divided_sum(const IntegerRing& ring, std::span<const Product> products, Workspace& work,
                           RlweCiphertext&& reuse) {
  const KeyContext::State& c = ring.base();
  const Stream s = work.stream;
  const u32 level = products[0].a->level;
  const Limbs data = c.chain.data(level), added = ring.extensions[level], all{added.first, added.count + data.count};
  const Limbs added_rows = ring.extensions[c.chain.top_level()],
              all_rows{added_rows.first, added_rows.count + c.chain.data().count};
  const u32 k = products[0].a->components, l = products[0].b->components, components = k + l - 1;
  RlweCiphertext out = make_ciphertext(*products[0].a, *products[0].b, components, std::move(reuse));
  const u32 left = k * out.count, right = l * out.count, results = components * out.count;
  const Scratch<Eval> sum = work.allocate<Eval>(results, all, all_rows);
  {
    const Scratch<Coeff> operands = work.allocate<Coeff>(left + right, added, added_rows);
    const Extension extension{c.ring, work};
    for (const Product& p : products) {
      out.untrusted |= p.a->untrusted || p.b->untrusted;
      const Slice<Eval> x = extension.fill(operands.polynomials(0, left), out.slice(0, left), *p.a);
      const Slice<Eval> y =
          p.a == p.b ? x : extension.fill(operands.polynomials(left, right), out.slice(0, right), *p.b);
      if (&p == products.data()) {
        tensors(c.ring, s, sum.limbs(added), {x, y, out.count});
        tensors(c.ring, s, sum.limbs(data), {p.a->all(), p.b->all(), out.count});
      } else {
        add_tensor(c.ring, s, sum.limbs(added), x, y);
        add_tensor(c.ring, s, sum.limbs(data), p.a->all(), p.b->all());
      }
    }
  }
  c.ring.multiply_scalar(s, sum.all(), sum.all(), ring.t);
  const Scratch<Coeff> quotient = work.allocate<Coeff>(results, added, added_rows);
  Poly<Coeff> result = Ring::reuse<Coeff>(std::move(out.polynomials));
  c.ring.mod_down(s, quotient.all(), c.ring.inverse(s, sum.all()), result.polynomials(0, results));
  c.ring.base_convert(s, result.polynomials(0, results), quotient.all(), Conversion::centred);
  out.polynomials = c.ring.forward(s, std::move(result));
  return out;
}

// Returns some components of each ciphertext.
RlweCiphertext part_of(const RlweCiphertext& a, u32 first, u32 components, Workspace& work) {
  RlweCiphertext part = make_ciphertext(a, a.level, components);
  for (u32 i = 0; i < components; ++i) a.context->ring.copy(work.stream, part.component(i), a.component(first + i));
  return part;
}

// Cuts b into parts of `most` components, and multiplies each part by a.
RlweCiphertext sum_of_parts(const IntegerRing& ring, const RlweCiphertext& a, const RlweCiphertext& b, u32 most,
                            Workspace& work) {
  RlweCiphertext out = make_ciphertext(a, b, a.components + b.components - 1);
  const Ring& words = ring.base().ring;
  words.zero(work.stream, out.all());
  for (u32 first = 0; first < b.components; first += most) {
    const RlweCiphertext part = part_of(b, first, std::min(most, b.components - first), work);
    const Product of{&a, &part, {}};
    const RlweCiphertext product = divided_sum(ring, {&of, 1}, work, {});
    for (u32 i = 0; i < product.components; ++i)
      words.add(work.stream, out.component(first + i), out.component(first + i), product.component(i));
  }
  return out;
}

}  // namespace

RlweCiphertext Policy<bfv::Scheme>::multiply(const IntegerRing& ring, const RlweCiphertext& a, const RlweCiphertext& b,
                                             Workspace& work, RlweCiphertext&& reuse) {
  const std::size_t most = 2 * most_products(ring, a.level);
  if (std::min(a.components, b.components) > most) {
    const bool is_longer = a.components >= b.components;
    return sum_of_parts(ring, is_longer ? a : b, is_longer ? b : a, static_cast<u32>(most), work);
  }
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
  if (!std::all_of(products.begin(), products.end(),
                   [](const Product& p) { return p.a->components == 2 && p.b->components == 2; })) {
    RlweCiphertext sum = multiply(ring, *products[0].a, *products[0].b, work, {});
    for (const Product& p : products.subspan(1)) add_product(ring, sum, p, work);
    return sum;
  }
  RlweCiphertext sum = divided_sum(ring, products.first(std::min(most, products.size())), work, {});
  for (std::size_t at = most; at < products.size(); at += most) {
    add_to(sum, divided_sum(ring, products.subspan(at, std::min(most, products.size() - at)), work, {}), work);
  }
  return sum;
}

}  // namespace ringfort::integers
