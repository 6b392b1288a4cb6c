// SPDX-License-Identifier: Apache-2.0
// Sums, products and rescaling of leveled ciphertexts (arithmetic.h).
#include "rlwe/arithmetic.h"

namespace ringfort {

namespace {

// Copies or negates the components that only the longer operand has.
void copy_remaining(Slice<Eval> out, const RlweCiphertext& longer, u32 from, bool negated, Workspace& work) {
  if (longer.components == from) return;
  const Ring& ring = longer.context->ring;
  const Slice<Eval> rest = longer.slice(from, longer.components - from),
                    to = out.polynomials(from, longer.components - from);
  if (negated) ring.negate(work.stream, to, rest);
  else ring.copy(work.stream, to, rest);
}

// Copies the words of `ciphertext` if other objects share them, so that it can be written.
void unshare(RlweCiphertext& ciphertext, Workspace& work) {
  if (ciphertext.polynomials.is_shared()) ciphertext = copy(ciphertext, ciphertext.level, work);
}

}  // namespace

RlweCiphertext add(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  const u32 common = std::min(a.components, b.components);
  RlweCiphertext out = make_ciphertext(a, b, std::max(a.components, b.components), std::move(reuse));
  a.context->ring.add(work.stream, out.slice(0, common), a.slice(0, common), b.slice(0, common));
  copy_remaining(out.all(), a, common, false, work);
  copy_remaining(out.all(), b, common, false, work);
  return out;
}

RlweCiphertext subtract(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  const u32 common = std::min(a.components, b.components);
  RlweCiphertext out = make_ciphertext(a, b, std::max(a.components, b.components), std::move(reuse));
  a.context->ring.subtract(work.stream, out.slice(0, common), a.slice(0, common), b.slice(0, common));
  copy_remaining(out.all(), a, common, false, work);
  copy_remaining(out.all(), b, common, true, work);
  return out;
}

RlweCiphertext negate(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.negate(work.stream, out.all(), a.all());
  return out;
}

void tensor(const Ring& ring, Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b) {
  const u32 k = a.batch(), l = b.batch();
  if (k == 2 && l == 2) return ring.tensor(s, out, a, b);
  if (k < l) return tensor(ring, s, out, b, a);  // one verb for each component of the shorter factor
  ring.inner_product(s, out.polynomials(0, k), a, b.polynomials(0, 1), 1, false);
  if (l > 1) ring.zero(s, out.polynomials(k, l - 1));
  for (u32 i = 1; i < l; ++i) ring.inner_product(s, out.polynomials(i, k), a, b.polynomials(i, 1), 1, true);
}

RlweCiphertext multiply(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  const u32 k = a.components, l = b.components, components = k + l - 1;
  const Ring& ring = a.context->ring;
  RlweCiphertext out = make_ciphertext(a, b, components, std::move(reuse));
  if (k == 2 && l == 2) {
    ring.tensor(work.stream, out.all(), a.all(), b.all());
    return out;
  }
  for (u32 i = 0; i < out.count; ++i)
    tensor(ring, work.stream, out.slice(i * components, components), a.slice(i * k, k), b.slice(i * l, l));
  return out;
}

void add_to(RlweCiphertext& sum, const RlweCiphertext& a, Workspace& work) {
  if (sum.components < a.components || sum.polynomials.is_shared()) {
    sum = add(sum, a, work);
    return;
  }
  sum.untrusted |= a.untrusted;
  const Slice<Eval> common = sum.slice(0, a.components);
  a.context->ring.add(work.stream, common, common, a.all());
}

void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b) {
  if (a.batch() < b.batch()) return add_tensor(ring, s, sum, b, a);
  for (u32 i = 0; i < b.batch(); ++i)
    ring.inner_product(s, sum.polynomials(i, a.batch()), a, b.polynomials(i, 1), 1, true);
}

void add_product_to(RlweCiphertext& sum, const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work) {
  if (sum.components < a.components + b.components - 1) {
    RlweCiphertext product = multiply(a, b, work);
    add_to(product, sum, work);
    sum = std::move(product);
    return;
  }
  unshare(sum, work);
  sum.untrusted |= a.untrusted || b.untrusted;
  add_tensor(a.context->ring, work.stream, sum.all(), a.all(), b.all());
}

void add_plain_product_to(RlweCiphertext& sum, const RlweCiphertext& a, Slice<Eval> plain, Workspace& work) {
  if (sum.components < a.components) return add_to(sum, multiply_plain(a, plain, work), work);
  unshare(sum, work);
  sum.untrusted |= a.untrusted;
  a.context->ring.multiply_add(work.stream, sum.slice(0, a.components), a.all(), plain);
}

RlweCiphertext add_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.add(work.stream, out.slice(0, 1), a.slice(0, 1), plain);
  copy_remaining(out.all(), a, 1, false, work);
  return out;
}

RlweCiphertext subtract_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.subtract(work.stream, out.slice(0, 1), a.slice(0, 1), plain);
  copy_remaining(out.all(), a, 1, false, work);
  return out;
}

RlweCiphertext multiply_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.multiply(work.stream, out.all(), a.all(), plain);
  return out;
}

std::vector<u64> residues_of(i64 value, const RlweCiphertext& ciphertext) {
  std::vector<u64> residues;
  const Limbs limbs = ciphertext.polynomials.limbs();
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
    residues.push_back(ciphertext.context->ring.basis()[limb].reduce_signed(value));
  return residues;
}

RlweCiphertext multiply_scalar(const RlweCiphertext& a, std::span<const u64> residues, Workspace& work,
                               RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.multiply_scalar(work.stream, out.all(), a.all(), residues);
  return out;
}

RlweCiphertext rescale(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *a.context;
  RlweCiphertext out = make_ciphertext(a, a.level - 1, a.components, std::move(reuse));
  const Scratch<Coeff> dropped =
      work.allocate<Coeff>(a.components * a.count, c.chain.last_group(a.level), c.chain.data());
  c.ring.mod_down(work.stream, out.all(), a.all(), dropped.all(), c.needs.error_factor);
  return out;
}

}  // namespace ringfort
