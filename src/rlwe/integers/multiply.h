// SPDX-License-Identifier: Apache-2.0
// Products: of two ciphertexts (three parts), by a plaintext, prepared or not, and by a whole number.
#pragma once

#include "rlwe/integers/add.h"

namespace ringfort::integers {

namespace verbs {

// A plaintext over the data primes of a level: as it was prepared, else made now.
template <class S>
class PlainFactor {
 public:
  PlainFactor(const IntegerRing& ring, const Plaintext<S>& b, u32 level, Workspace& work)
      : data_(ring.base().chain.data(level)), kept_(b.state().transform), is_kept_(kept_.batch() != 0 && kept_.limbs().count >= data_.count),
        made_(is_kept_ ? Poly<Eval>() : lift(ring, b.state().coefficients.span(), level, work)) {}
  [[nodiscard]] Slice<Eval> all() const { return (is_kept_ ? kept_ : made_).limbs(data_); }

 private:
  Limbs data_;
  const Poly<Eval>& kept_;
  bool is_kept_;
  Poly<Eval> made_;
};

}  // namespace verbs

template <class S>
Claim product_claim(const IntegerRing& ring, const Ciphertext<S>& a, const Ciphertext<S>& b, std::string_view what, std::size_t before = 0) {
  require_pair(a.state().block, b.state().block, what);
  require_two_parts(a.state().block, what);
  require_two_parts(b.state().block, what);
  return admitted<S>(ring, a.level(), Policy<S>::product(ring, a.level(), a.state().claim, b.state().claim, before), what);
}

template <class S>
void Evaluator<S>::multiply_into(C& out, const C& a, const C& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply");
  const Claim claim = product_claim(ring, a, b, "multiply");
  const auto work = a.state().block.context->workspace(threads_);
  store(out, ring, claim, Policy<S>::multiply(ring, a.state().block, b.state().block, *work, room(out, a, b)));
}

template <class S>
Claim plain_claim(const IntegerRing& ring, const Ciphertext<S>& a, const Plaintext<S>& b, std::string_view what) {
  require_plain(ring, b, what);
  return admitted<S>(ring, a.level(), {a.state().claim.error * plain_norm_variable_time(ring, b.state().coefficients.span()), a.state().claim.factor}, what);
}

template <class S>
void Evaluator<S>::multiply_plain_into(C& out, const C& a, const P& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_plain");
  const Claim claim = plain_claim(ring, a, b, "multiply_plain");
  const auto work = a.state().block.context->workspace(threads_);
  const verbs::PlainFactor<S> plain(ring, b, a.level(), *work);
  store(out, ring, claim, ringfort::multiply_plain(a.state().block, plain.all(), *work, room(out, a)));
}

template <class S>
void Evaluator<S>::prepare_plain(P& b, std::uint32_t level) const {
  const IntegerRing& ring = context_.state()->ring;
  require_plain(ring, b, "prepare_plain");
  if (level > context_.top_level()) {
    throw Error(Code::invalid_argument, "prepare_plain was given level " + std::to_string(level) + ", the highest is " + std::to_string(context_.top_level()),
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
    throw Error(Code::invalid_argument, "multiply_integer was given " + std::to_string(factor) + ", the plain modulus is " + std::to_string(ring.t), "reduce it modulo t, centred");
  }
  const Claim claim = admitted<S>(ring, x.block.level, {verbs::times(x.claim.error, factor), x.claim.factor}, "multiply_integer");
  const auto work = x.block.context->workspace(threads_);
  store(out, ring, claim, multiply_scalar(x.block, residues_of(factor, x.block), *work, room(out, a)));
}

}  // namespace ringfort::integers
