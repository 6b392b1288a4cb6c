// SPDX-License-Identifier: Apache-2.0
// Sums, differences and negation, of ciphertexts and with plaintexts, and the change to a lower level. BGV's correction
// factors are brought together.
#pragma once

#include "rlwe/integers/objects.h"

namespace ringfort::integers {

namespace verbs {

// The ring of an evaluator's context, for an operand of that context: another t would give wrong claims without a word.
template <class S>
const IntegerRing& ring_for(const Context<S>& context, const Ciphertext<S>& a, std::string_view what) {
  require_filled(a.state().block, what);
  require_same(a.state().block.context, context.state()->ring.keys.state(), what);
  return context.state()->ring;
}

// What two operands are multiplied by before they are added, and the claim of the sum.
struct Sum {
  Claim claim;
  Balance by;
};

inline Bound times(Bound error, i64 factor) { return error * Bound::of(std::abs(static_cast<double>(factor))); }

inline Sum sum(const IntegerRing& ring, const Claim& a, const Claim& b) {
  if (a.factor == b.factor) return {{a.error + b.error, a.factor}, {1, 1}};
  const Balance by = balance(a.factor, b.factor, ring.t);
  return {{times(a.error, by.x) + times(b.error, by.y), ring.plain.multiply(ring.plain.reduce_signed(by.x), a.factor)},
          by};
}

inline Block scaled(const Block& a, i64 factor, Workspace& work) {
  return factor == 1 ? copy(a, a.level, work) : multiply_scalar(a, residues_of(factor, a), work);
}

// Sums and differences: errors add in both.
struct Combination {
  std::string_view name;
  Block (*of_blocks)(const Block& a, const Block& b, Workspace& work, Block&& room);
};

struct PlainCombination {
  std::string_view name;
  Block (*of_block)(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room);
};

template <class S>
void combine(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Ciphertext<S>& b,
             const Combination& verb, unsigned threads) {
  const auto &x = a.state(), &y = b.state();
  require_pair(x.block, y.block, verb.name);
  const Sum s = sum(ring, x.claim, y.claim);
  const Claim claim = admitted<S>(ring, x.block.level, s.claim, verb.name);
  const auto work = x.block.context->workspace(threads);
  if (x.claim.factor == y.claim.factor)
    return store(out, ring, claim, verb.of_blocks(x.block, y.block, *work, room(out, a, b)));
  const Block left = scaled(x.block, s.by.x, *work), right = scaled(y.block, s.by.y, *work);
  store(out, ring, claim, verb.of_blocks(left, right, *work, {}));
}

template <class S>
void combine_plain(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Plaintext<S>& b,
                   const PlainCombination& verb, unsigned threads) {
  const auto& x = a.state();
  require_plain(ring, b, verb.name);
  const Claim claim = admitted<S>(ring, x.block.level,
                                  {x.claim.error + Policy<S>::added(ring, x.block.level), x.claim.factor}, verb.name);
  const auto work = x.block.context->workspace(threads);
  const Cleared cleared(*work);
  const Poly<Eval> lifted =
      Policy<S>::lift_for_sum(ring, b.state().coefficients.span(), x.block.level, x.claim.factor, *work);
  store(out, ring, claim, verb.of_block(x.block, lifted.all(), *work, room(out, a)));
}

}  // namespace verbs

template <class S>
void Evaluator<S>::add_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "add"), out, a, b, {"add", &ringfort::add}, threads_);
}

template <class S>
void Evaluator<S>::sub_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "sub"), out, a, b, {"sub", &ringfort::sub}, threads_);
}

template <class S>
void Evaluator<S>::negate_into(C& out, const C& a) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "negate");
  const auto work = a.state().block.context->workspace(threads_);
  store(out, ring, Claim(a.state().claim), ringfort::negate(a.state().block, *work, room(out, a)));
}

template <class S>
void Evaluator<S>::add_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "add_plain"), out, a, b, {"add_plain", &ringfort::add_plain},
                       threads_);
}

template <class S>
void Evaluator<S>::sub_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "sub_plain"), out, a, b, {"sub_plain", &ringfort::sub_plain},
                       threads_);
}

template <class S>
Claim switched_claim(const IntegerRing& ring, const Ciphertext<S>& a, u32 level) {
  Claim claim = a.state().claim;
  for (u32 at = a.level(); at > level; --at) claim = Policy<S>::rescaled(ring, claim, at, a.size());
  return claim;
}

template <class S>
void Evaluator<S>::mod_switch_into(C& out, const C& a, std::uint32_t level) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "mod_switch");
  const Block& block = a.state().block;
  require_lower(block, level, "mod_switch");
  const Claim claim = admitted<S>(ring, level, switched_claim(ring, a, level), "mod_switch");
  const auto work = block.context->workspace(threads_);
  if (level == block.level) return store(out, ring, claim, copy(block, level, *work, room(out, a)));
  Block at = rescale(block, *work, block.level == level + 1 ? room(out, a) : Block{});
  while (at.level > level) at = rescale(at, *work);
  store(out, ring, claim, std::move(at));
}

}  // namespace ringfort::integers
