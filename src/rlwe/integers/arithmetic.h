// SPDX-License-Identifier: Apache-2.0
// Arithmetic of BFV and BGV without key switches: sums, differences, products, changes to a lower level. In BGV, a sum
// first gives both operands the same correction factor (ring.h). The product of two ciphertexts is their tensor product
// (rlwe/arithmetic.h); BFV also divides this product by Q / t (ring.h) and rounds it. Each verb checks all operands and
// the bounds of all partial sums before it computes.
#pragma once

#include <algorithm>
#include <cmath>

#include "rlwe/arithmetic.h"
#include "rlwe/integers/objects.h"
#include "rlwe/operands.h"

namespace ringfort::integers {

namespace verbs {

// Returns the ring of an evaluator's context. Throws if `a` is empty or has another context. The noise bounds depend on
// the plain modulus t, and another context may have another t.
template <class S>
const IntegerRing& ring_for(const Context<S>& context, const Ciphertext<S>& a, std::string_view what) {
  require_filled(a.state().rlwe, what);
  require_same(a.state().rlwe.context, context.state()->ring.keys.state(), what);
  return context.state()->ring;
}

// Factors that multiply the two operands of a sum, and the noise bound of the sum.
struct Sum {
  NoiseBound bound;
  Balance by;
};

inline Bound times(Bound error, i64 factor) { return error * Bound::of(std::abs(static_cast<double>(factor))); }

// Returns log2(a / b), rounded, for balance(). Logarithms differ in the last bit between machines. With the margin
// 2^-20, all machines round ties to the same integer.
inline int heavier(Bound a, Bound b) {
  const double ratio = a.log2 - b.log2;
  return std::isfinite(ratio) ? static_cast<int>(std::floor(std::clamp(ratio, -60.0, 60.0) + 0.5 - 0x1p-20)) : 0;
}

inline Sum sum(const Modulus<u64>& plain, const NoiseBound& a, const NoiseBound& b) {
  if (a.factor == b.factor) return {{a.error + b.error, a.factor}, {1, 1}};
  const Balance by = balance(a.factor, b.factor, plain.value(), heavier(a.error, b.error));
  return {{times(a.error, by.x) + times(b.error, by.y), plain.multiply(plain.reduce_signed(by.x), a.factor)}, by};
}

inline RlweCiphertext scaled(const RlweCiphertext& a, i64 factor, Workspace& work) {
  return factor == 1 ? copy(a, a.level, work) : multiply_scalar(a, residues_of(factor, a), work);
}

// The sum or the difference of ciphertexts. In both cases the errors add up.
struct Combination {
  std::string_view name;
  RlweCiphertext (*of_ciphertexts)(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                   RlweCiphertext&& reuse);
};

struct PlainCombination {
  std::string_view name;
  RlweCiphertext (*of_ciphertext)(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse);
};

template <class S>
void combine(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Ciphertext<S>& b,
             const Combination& verb, unsigned threads) {
  const auto &x = a.state(), &y = b.state();
  require_pair(x.rlwe, y.rlwe, verb.name);
  const Sum s = sum(ring.plain, x.bound, y.bound);
  const NoiseBound bound = admitted<S>(ring, x.rlwe.level, s.bound, verb.name);
  const auto work = x.rlwe.context->workspace(threads);
  if (x.bound.factor == y.bound.factor)
    return store(out, ring, bound, verb.of_ciphertexts(x.rlwe, y.rlwe, *work, take_memory(out, a, b)));
  const RlweCiphertext left = scaled(x.rlwe, s.by.x, *work), right = scaled(y.rlwe, s.by.y, *work);
  store(out, ring, bound, verb.of_ciphertexts(left, right, *work, {}));
}

template <class S>
void combine_plain(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Plaintext<S>& b,
                   const PlainCombination& verb, unsigned threads) {
  const auto& x = a.state();
  require_plain(ring, b, verb.name);
  const NoiseBound bound = admitted<S>(
      ring, x.rlwe.level, {x.bound.error + Policy<S>::added(ring, x.rlwe.level), x.bound.factor}, verb.name);
  const auto work = x.rlwe.context->workspace(threads);
  const Cleared cleared(*work);
  const Poly<Eval> lifted =
      Policy<S>::lift_for_sum(ring, b.state().coefficients.span(), x.rlwe.level, x.bound.factor, *work);
  store(out, ring, bound, verb.of_ciphertext(x.rlwe, lifted.all(), *work, take_memory(out, a)));
}

}  // namespace verbs

template <class S>
void Evaluator<S>::add_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "add"), out, a, b, {"add", &ringfort::add}, threads_);
}

template <class S>
void Evaluator<S>::subtract_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "subtract"), out, a, b, {"subtract", &ringfort::subtract}, threads_);
}

template <class S>
void Evaluator<S>::negate_into(C& out, const C& a) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "negate");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, ring, NoiseBound(a.state().bound), ringfort::negate(a.state().rlwe, *work, take_memory(out, a)));
}

template <class S>
void Evaluator<S>::add_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "add_plain"), out, a, b, {"add_plain", &ringfort::add_plain},
                       threads_);
}

template <class S>
void Evaluator<S>::subtract_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "subtract_plain"), out, a, b,
                       {"subtract_plain", &ringfort::subtract_plain}, threads_);
}

template <class S>
NoiseBound mod_switched_bound(const IntegerRing& ring, const Ciphertext<S>& a, u32 level) {
  NoiseBound bound = a.state().bound;
  for (u32 at = a.level(); at > level; --at) bound = Policy<S>::rescaled(ring, bound, at, a.size());
  return bound;
}

template <class S>
void Evaluator<S>::mod_switch_into(C& out, const C& a, std::uint32_t level) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "mod_switch");
  const RlweCiphertext& ciphertext = a.state().rlwe;
  require_lower(ciphertext, level, "mod_switch");
  const NoiseBound bound = admitted<S>(ring, level, mod_switched_bound(ring, a, level), "mod_switch");
  const auto work = ciphertext.context->workspace(threads_);
  if (level == ciphertext.level) return store(out, ring, bound, copy(ciphertext, level, *work, take_memory(out, a)));
  RlweCiphertext at =
      rescale(ciphertext, *work, ciphertext.level == level + 1 ? take_memory(out, a) : RlweCiphertext{});
  while (at.level > level) at = rescale(at, *work);
  store(out, ring, bound, std::move(at));
}

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
  require_product(a.state().rlwe, b.state().rlwe, what);
  const Factor x{a.state().bound, a.size()}, y{b.state().bound, b.size()};
  return admitted<S>(ring, a.level(), Policy<S>::product(ring, a.level(), x, y, before), what);
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
                "give the highest level of the ciphertexts that the plaintext will multiply");
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

template <class S>
bool are_pairs(std::span<const Ciphertext<S>> factors) {
  return std::all_of(factors.begin(), factors.end(), [](const Ciphertext<S>& a) { return a.size() == 2; });
}

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
  RlweCiphertext result = &sum == &a || &sum == &b ? ringfort::clone(ciphertext) : std::exchange(ciphertext, {});
  Policy<S>::add_product(ring, result, {&a.state().rlwe, &b.state().rlwe, by}, *work);
  store(sum, ring, total.bound(), std::move(result));
}

template <class S>
Ciphertext<S> Evaluator<S>::inner_product(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "inner_product");
  const IntegerRing& ring = verbs::ring_for(context_, a[0], "inner_product");
  verbs::Total<S> total(ring, a[0], product_bound(ring, a[0], b[0], "inner_product"), "inner_product");
  std::vector<Product> products = {{&a[0].state().rlwe, &b[0].state().rlwe, {}}};
  const bool pairs = verbs::are_pairs(a) && verbs::are_pairs(b);
  for (std::size_t i = 1; i < a.size(); ++i) {
    require_pair(a[0].state().rlwe, a[i].state().rlwe, "inner_product");
    const Balance by = total.add(product_bound(ring, a[i], b[i], "inner_product", pairs ? i : 0));
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
