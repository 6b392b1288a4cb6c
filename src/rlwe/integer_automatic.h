// SPDX-License-Identifier: Apache-2.0
// Levels and relinearization kept by the library. A product is made at the level, of all that both operands reach, where its bound
// leaves most room: BFV stays where it is, BGV divides its noise away before it is squared. The bounds decide, so the same code
// serves both. Included by the schemes' instances alone.
#pragma once

#include <bit>

#include "rlwe/integer_verbs.h"

namespace ringfort::integers {

namespace automatic {

[[noreturn]] inline void missing(std::string_view what, std::string_view which) {
  throw Error(Code::key_missing, std::string(what) + " needs a " + std::string(which), "give it to the AutomaticEvaluator");
}

template <class S>
double room_after_product(const IntegerRing& ring, const Ciphertext<S>& a, const Ciphertext<S>& b, u32 level) {
  const Claim product = Policy<S>::product(ring, level, switched_claim(ring, a, level), switched_claim(ring, b, level));
  return Policy<S>::limit(ring, level).log2 - product.error.log2;
}

template <class S>
u32 best_level(const IntegerRing& ring, const Ciphertext<S>& a, const Ciphertext<S>& b) {
  u32 best = std::min(a.level(), b.level());
  for (u32 level = best; level-- > 0;) {
    if (room_after_product(ring, a, b, level) > room_after_product(ring, a, b, best)) best = level;
  }
  return best;
}

}  // namespace automatic

template <class S>
AutomaticEvaluator<S>::AutomaticEvaluator(const Context<S>& context, const RelinearizationKey* relinearization, const GaloisKeys* galois, unsigned threads)
    : evaluator_(context, threads), context_(context) {
  if (relinearization != nullptr) relinearization_ = relinearization->state();
  if (galois != nullptr) galois_ = galois->state();
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::add(const C& a, const C& b) const {
  const u32 level = std::min(a.level(), b.level());
  return evaluator_.add(evaluator_.mod_switch(a, level), evaluator_.mod_switch(b, level));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::sub(const C& a, const C& b) const {
  const u32 level = std::min(a.level(), b.level());
  return evaluator_.sub(evaluator_.mod_switch(a, level), evaluator_.mod_switch(b, level));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::multiply(const C& a, const C& b) const {
  require_filled(a.state().block, "multiply");
  require_filled(b.state().block, "multiply");
  if (relinearization_ == nullptr) automatic::missing("a product", "relinearization key");
  const u32 level = automatic::best_level(verbs::ring_for(context_, a, "multiply"), a, b);
  const C left = evaluator_.mod_switch(a, level);
  const C product = &a == &b ? evaluator_.square(left) : evaluator_.multiply(left, evaluator_.mod_switch(b, level));
  return evaluator_.relinearize(product, RelinearizationKey(relinearization_));
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::exponentiate(const C& a, std::uint32_t exponent) const {
  if (exponent == 0) throw Error(Code::invalid_argument, "exponentiate was given the exponent 0", "the result is 1 for every value: encode that");
  C square = a.clone(), power;
  for (u32 rest = exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = power.size() == 0 ? square.clone() : multiply(power, square);
    if (rest > 1) square = multiply(square, square);
  }
  return power;
}

template <class S>
Ciphertext<S> AutomaticEvaluator<S>::rotate(const C& a, std::int64_t step) const {
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
