// SPDX-License-Identifier: Apache-2.0
// Products of BFV and BGV. The product of two ciphertexts is (a0, a1) (b0, b1) = (a0 b0, a0 b1 + a1 b0, a1 b1); BFV
// also divides this product by Q / t (ring.h) and rounds it. The file also contains products with a plaintext or an
// integer, and sums of many terms or products in one pass. Each verb checks all operands and the bounds of all partial
// sums before it computes.
#pragma once

#include "rlwe/arithmetic.h"
#include "rlwe/integers/arithmetic.h"
#include "rlwe/operands.h"

namespace ringfort::integers {

namespace verbs {

// A plaintext over the data primes of a level. It uses the transform that prepare_plain() stored. If there is none for
// this level, it makes one.
template <class S>
class PlainFactor {
 public:
  PlainFactor(const IntegerRing& ring, const Plaintext<S>& b, u32 level, Workspace& work)
      : data_(ring.base().chain.data(level)),
        prepared_(b.state().transform),
        is_prepared_(prepared_.batch() != 0 && prepared_.limbs().count >= data_.count),
        computed_(is_prepared_ ? Poly<Eval>() : lift(ring, b.state().coefficients.span(), level, work)) {}
  [[nodiscard]] Slice<Eval> all() const { return (is_prepared_ ? prepared_ : computed_).limbs(data_); }

 private:
  Limbs data_;
  const Poly<Eval>& prepared_;
  bool is_prepared_;
  Poly<Eval> computed_;
};

}  // namespace verbs

template <class S>
NoiseBound product_bound(const IntegerRing& ring, const Ciphertext<S>& a, const Ciphertext<S>& b, std::string_view what,
                         std::size_t before = 0) {
  require_pair(a.state().rlwe, b.state().rlwe, what);
  require_two_components(a.state().rlwe, what);
  require_two_components(b.state().rlwe, what);
  return admitted<S>(ring, a.level(), Policy<S>::product(ring, a.level(), a.state().bound, b.state().bound, before),
                     what);
}

template <class S>
void Evaluator<S>::multiply_into(C& out, const C& a, const C& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply");
  const NoiseBound bound = product_bound(ring, a, b, "multiply");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, ring, bound, Policy<S>::multiply(ring, a.state().rlwe, b.state().rlwe, *work, take_memory(out, a, b)));
}

template <class S>
NoiseBound plain_product_bound(const IntegerRing& ring, const Ciphertext<S>& a, const Plaintext<S>& b,
                               std::string_view what) {
  require_plain(ring, b, what);
  return admitted<S>(
      ring, a.level(),
      {a.state().bound.error * plain_norm_variable_time(ring, b.state().coefficients.span()), a.state().bound.factor},
      what);
}

template <class S>
void Evaluator<S>::multiply_plain_into(C& out, const C& a, const P& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_plain");
  const NoiseBound bound = plain_product_bound(ring, a, b, "multiply_plain");
  const auto work = a.state().rlwe.context->workspace(threads_);
  const verbs::PlainFactor<S> plain(ring, b, a.level(), *work);
  store(out, ring, bound, ringfort::multiply_plain(a.state().rlwe, plain.all(), *work, take_memory(out, a)));
}

template <class S>
void Evaluator<S>::prepare_plain(P& b, std::uint32_t level) const {
  const IntegerRing& ring = context_.state()->ring;
  require_plain(ring, b, "prepare_plain");
  if (level > context_.top_level()) {
    throw Error(Code::invalid_argument,
                "prepare_plain was given level " + std::to_string(level) + ", but the highest is " +
                    std::to_string(context_.top_level()),
                "give the highest level of the ciphertexts that it will multiply");
  }
  const auto work = ring.base().workspace(threads_);
  b.state().transform = lift(ring, b.state().coefficients.span(), level, *work);
}

template <class S>
void Evaluator<S>::multiply_integer_into(C& out, const C& a, std::int64_t factor) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_integer");
  const auto& x = a.state();
  const i64 half = static_cast<i64>(ring.t / 2);
  if (factor > half || factor < -half) {
    throw Error(
        Code::invalid_argument,
        "multiply_integer was given " + std::to_string(factor) + ", but the plain modulus is " + std::to_string(ring.t),
        "reduce it modulo t, centred");
  }
  const NoiseBound bound =
      admitted<S>(ring, x.rlwe.level, {verbs::times(x.bound.error, factor), x.bound.factor}, "multiply_integer");
  const auto work = x.rlwe.context->workspace(threads_);
  store(out, ring, bound, multiply_scalar(x.rlwe, residues_of(factor, x.rlwe), *work, take_memory(out, a)));
}

namespace verbs {

// Adds noise bounds one after another. add() checks the bound of the new partial sum. It returns the factors by which
// the sum and the term must be multiplied.
template <class S>
class Total {
 public:
  Total(const IntegerRing& ring, const Ciphertext<S>& like, const NoiseBound& first, std::string_view what)
      : ring_(ring),
        level_(like.level()),
        what_(what),
        bound_(admitted<S>(ring, level_, first, what)) {}
  Balance add(const NoiseBound& term) {
    const Sum s = sum(ring_.plain, bound_, term);
    bound_ = admitted<S>(ring_, level_, s.bound, what_);
    return s.by;
  }
  [[nodiscard]] const NoiseBound& bound() const noexcept { return bound_; }

 private:
  const IntegerRing& ring_;
  u32 level_;
  std::string_view what_;
  NoiseBound bound_;
};

// Returns by.x a + by.y b.
inline RlweCiphertext balanced(const RlweCiphertext& a, const RlweCiphertext& b, const Balance& by, Workspace& work) {
  if (by.x == 1 && by.y == 1) return ringfort::add(a, b, work);
  RlweCiphertext sum = scaled(a, by.x, work);
  add_to(sum, scaled(b, by.y, work), work);
  return sum;
}

}  // namespace verbs

template <class S>
Ciphertext<S> Evaluator<S>::add_many(std::span<const C> terms) const {
  require_terms(terms.size(), "add_many");
  const C& first = terms[0];
  const IntegerRing& ring = verbs::ring_for(context_, first, "add_many");
  verbs::Total<S> total(ring, first, first.state().bound, "add_many");
  std::vector<Balance> by;
  for (const C& term : terms.subspan(1)) {
    require_pair(first.state().rlwe, term.state().rlwe, "add_many");
    by.push_back(total.add(term.state().bound));
  }
  const auto work = first.state().rlwe.context->workspace(threads_);
  RlweCiphertext sum = by.empty() ? ringfort::clone(first.state().rlwe)
                                  : verbs::balanced(first.state().rlwe, terms[1].state().rlwe, by[0], *work);
  for (std::size_t i = 2; i < terms.size(); ++i) {
    const RlweCiphertext& term = terms[i].state().rlwe;
    if (by[i - 1].x == 1 && by[i - 1].y == 1) add_to(sum, term, *work);
    else sum = verbs::balanced(sum, term, by[i - 1], *work);
  }
  C out;
  store(out, ring, total.bound(), std::move(sum));
  return out;
}

template <class S>
void Evaluator<S>::multiply_add_into(C& sum, const C& a, const C& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_add");
  const NoiseBound product = product_bound(ring, a, b, "multiply_add");
  RlweCiphertext& ciphertext = sum.state().rlwe;
  require_pair(ciphertext, a.state().rlwe, "multiply_add");
  verbs::Total<S> total(ring, sum, sum.state().bound, "multiply_add");
  const Balance by = total.add(product);
  const auto work = a.state().rlwe.context->workspace(threads_);
  // If the sum has two components, it may also be an operand of the product. Therefore it is cloned.
  RlweCiphertext result = ciphertext.components == 3 ? std::exchange(ciphertext, {}) : ringfort::clone(ciphertext);
  Policy<S>::add_product(ring, result, {&a.state().rlwe, &b.state().rlwe, by}, *work);
  store(sum, ring, total.bound(), std::move(result));
}

template <class S>
Ciphertext<S> Evaluator<S>::inner_product(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "inner_product");
  const IntegerRing& ring = verbs::ring_for(context_, a[0], "inner_product");
  verbs::Total<S> total(ring, a[0], product_bound(ring, a[0], b[0], "inner_product"), "inner_product");
  std::vector<Product> products = {{&a[0].state().rlwe, &b[0].state().rlwe, {}}};
  for (std::size_t i = 1; i < a.size(); ++i) {
    require_pair(a[0].state().rlwe, a[i].state().rlwe, "inner_product");
    const Balance by = total.add(product_bound(ring, a[i], b[i], "inner_product", i));
    products.push_back({&a[i].state().rlwe, &b[i].state().rlwe, by});
  }
  const auto work = a[0].state().rlwe.context->workspace(threads_);
  C out;
  store(out, ring, total.bound(), Policy<S>::inner_product(ring, products, *work));
  return out;
}

template <class S>
Ciphertext<S> Evaluator<S>::inner_product_plain(std::span<const C> a, std::span<const P> b) const {
  require_factors(a.size(), b.size(), "inner_product_plain");
  const C& first = a[0];
  const IntegerRing& ring = verbs::ring_for(context_, first, "inner_product_plain");
  verbs::Total<S> total(ring, first, plain_product_bound(ring, first, b[0], "inner_product_plain"),
                        "inner_product_plain");
  std::vector<Balance> by = {{}};
  for (std::size_t i = 1; i < a.size(); ++i) {
    require_pair(first.state().rlwe, a[i].state().rlwe, "inner_product_plain");
    by.push_back(total.add(plain_product_bound(ring, a[i], b[i], "inner_product_plain")));
  }
  const auto work = first.state().rlwe.context->workspace(threads_);
  RlweCiphertext sum = ringfort::multiply_plain(first.state().rlwe,
                                                verbs::PlainFactor<S>(ring, b[0], first.level(), *work).all(), *work);
  for (std::size_t i = 1; i < a.size(); ++i) {
    const RlweCiphertext& factor = a[i].state().rlwe;
    if (by[i].x != 1) sum = verbs::scaled(sum, by[i].x, *work);
    const verbs::PlainFactor<S> plain(ring, b[i], first.level(), *work);
    if (by[i].y == 1) add_plain_product_to(sum, factor, plain.all(), *work);
    else add_plain_product_to(sum, verbs::scaled(factor, by[i].y, *work), plain.all(), *work);
  }
  C out;
  store(out, ring, total.bound(), std::move(sum));
  return out;
}

}  // namespace ringfort::integers
