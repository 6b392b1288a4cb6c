// SPDX-License-Identifier: Apache-2.0
// The automatic evaluator, which chooses levels and relinearizes. For a product, it compares the lower of the operands'
// levels with all levels below. It chooses the level at which the bound of the product leaves the largest noise budget.
// BFV stays at the lower of the operands' levels. BGV often switches to a lower level first, which divides the noise,
// because a product multiplies the noises of its operands. Only the sources that instantiate this evaluator for BFV and
// BGV include this file.
#pragma once

#include <bit>

#include "rlwe/integers/key_switch.h"
#include "rlwe/operands.h"

namespace ringfort::integers {

namespace automatic {

[[noreturn]] inline void missing(std::string_view what, std::string_view which) {
  throw Error(Code::key_missing, std::string(what) + " needs a " + std::string(which),
              "give it to the AutomaticEvaluator");
}

template <class C>
u32 lowest_level(std::span<const C> a, std::string_view what) {
  require_terms(a.size(), what);
  u32 lowest = a[0].level();
  for (const C& each : a) {
    require_filled(each.state().rlwe, what);
    lowest = std::min(lowest, each.level());
  }
  return lowest;
}

// The factors of a sum of products, a[i] times b[i].
template <class S>
struct Factors {
  std::span<const Ciphertext<S>> a, b;
};

template <class S>
double margin_after_products(const IntegerRing& ring, const Factors<S>& of, u32 level) {
  Bound sum;
  for (std::size_t i = 0; i < of.a.size(); ++i) {
    sum = sum + Policy<S>::product(ring, level, {mod_switched_bound(ring, of.a[i], level), 2},
                                   {mod_switched_bound(ring, of.b[i], level), 2}, i)
                    .error;
  }
  return Policy<S>::limit(ring, level).log2 - sum.log2;
}

template <class S>
u32 best_level(const IntegerRing& ring, const Factors<S>& of, std::string_view what) {
  for (const auto side : {of.a, of.b}) {
    for (const Ciphertext<S>& factor : side) require_two_components(factor.state().rlwe, what);
  }
  u32 best = std::min(lowest_level(of.a, what), lowest_level(of.b, what));
  for (u32 level = best; level-- > 0;) {
    if (margin_after_products(ring, of, level) > margin_after_products(ring, of, best)) best = level;
  }
  return best;
}

}  // namespace automatic

template <class S>
AutomaticEvaluator<S>::AutomaticEvaluator(const Context<S>& context, const RelinearizationKey* relinearization,
                                          const GaloisKeys* galois, unsigned threads)
    : evaluator_(context, threads),
      context_(context) {
  if (relinearization != nullptr) relinearization_ = relinearization->state();
  if (galois != nullptr) galois_ = galois->state();
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::lowered(const C& a, u32 level) const {
  (void)verbs::ring_for(context_, a, "the automatic evaluator");
  return a.level() == level ? a.clone() : evaluator_.mod_switch(a, level);
}

template <class S>
std::vector<Ciphertext<S>> AutomaticEvaluator<S>::lowered(std::span<const C> all, u32 level) const {
  std::vector<C> out;
  out.reserve(all.size());
  for (const C& a : all) out.push_back(lowered(a, level));
  return out;
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::add(const C& a, const C& b) const {
  const u32 level = std::min(a.level(), b.level());
  return evaluator_.add(lowered(a, level), lowered(b, level));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::subtract(const C& a, const C& b) const {
  const u32 level = std::min(a.level(), b.level());
  return evaluator_.subtract(lowered(a, level), lowered(b, level));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::add_many(std::span<const C> terms) const {
  return evaluator_.add_many(lowered(terms, automatic::lowest_level(terms, "add_many")));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::multiply(const C& a, const C& b) const {
  require_filled(a.state().rlwe, "multiply");
  require_filled(b.state().rlwe, "multiply");
  if (relinearization_ == nullptr) automatic::missing("a product", "relinearization key");
  const u32 level = automatic::best_level(verbs::ring_for(context_, a, "multiply"),
                                          automatic::Factors<S>{{&a, 1}, {&b, 1}}, "multiply");
  const C left = lowered(a, level);
  JoinedVerbs joined(context_.keys().state()->pool);
  const C product = &a == &b ? evaluator_.square(left) : evaluator_.multiply(left, lowered(b, level));
  C out = evaluator_.relinearize(product, RelinearizationKey(relinearization_));
  joined.end();
  return out;
}

template <class S>
std::vector<Ciphertext<S>> AutomaticEvaluator<S>::multiply(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "multiply");
  std::vector<C> left, right;
  if (!context_.keys().wants_batches()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      left.push_back(a.data() == b.data() ? square(a[i]) : multiply(a[i], b[i]));
    return left;
  }
  if (relinearization_ == nullptr) automatic::missing("a product", "relinearization key");
  for (std::size_t i = 0; i < a.size(); ++i) {
    const IntegerRing& ring = verbs::ring_for(context_, a[i], "multiply");
    const u32 level = automatic::best_level(ring, automatic::Factors<S>{a.subspan(i, 1), b.subspan(i, 1)}, "multiply");
    left.push_back(lowered(a[i], level));
    if (a.data() != b.data()) right.push_back(lowered(b[i], level));
  }
  const std::vector<C> products = evaluator_.multiply(left, right.empty() ? left : right);
  return evaluator_.relinearize(products, RelinearizationKey(relinearization_));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::inner_product(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "inner_product");
  if (relinearization_ == nullptr) automatic::missing("a product", "relinearization key");
  const u32 level = automatic::best_level(context_.state()->ring, automatic::Factors<S>{a, b}, "inner_product");
  const std::vector<C> left = lowered(a, level);
  const C sum =
      a.data() == b.data() ? evaluator_.inner_product(left, left) : evaluator_.inner_product(left, lowered(b, level));
  return evaluator_.relinearize(sum, RelinearizationKey(relinearization_));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::power(const C& a, std::uint32_t exponent) const {
  return power_of(a, exponent, [this](const C& x, const C& y) { return multiply(x, y); });
}

template <class S>
std::vector<Ciphertext<S>> AutomaticEvaluator<S>::power(std::span<const C> a, std::uint32_t exponent) const {
  std::vector<C> bases;
  for (const C& each : a) bases.push_back(lowered(each, each.level()));
  return powers(std::move(bases), exponent,
                [this](const std::vector<C>& x, const std::vector<C>& y) { return multiply(x, y); });
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::rotate(const C& a, std::int64_t step) const {
  if (galois_ == nullptr) automatic::missing("a rotation", "set of Galois keys");
  JoinedVerbs joined(context_.keys().state()->pool);
  C out = evaluator_.rotate(a, step, GaloisKeys(galois_));
  joined.end();
  return out;
}

template <class S>
std::vector<Ciphertext<S>> AutomaticEvaluator<S>::rotate(std::span<const C> a, std::int64_t step) const {
  if (galois_ == nullptr) automatic::missing("a rotation", "set of Galois keys");
  return evaluator_.rotate(a, step, GaloisKeys(galois_));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::swap_rows(const C& a) const {
  if (galois_ == nullptr) automatic::missing("an exchange of rows", "set of Galois keys");
  return evaluator_.swap_rows(a, GaloisKeys(galois_));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::sum_slots(const C& a) const {
  if (galois_ == nullptr) automatic::missing("a sum of slots", "set of Galois keys");
  return evaluator_.sum_slots(a, context_.state()->ring.base().p.n / 2, GaloisKeys(galois_));
}

}  // namespace ringfort::integers
