// SPDX-License-Identifier: Apache-2.0
// Verbs of BFV and BGV that need no product of polynomials: sums, differences and negation of ciphertexts; sums and
// differences of a ciphertext and a plaintext; the change to a lower level. In BGV, a sum first gives both operands the
// same correction factor (rlwe/integers/ring.h).
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

// Returns log2(a / b), rounded, for balance(). Logarithms differ in the last bit between machines. The margin 2^-20
// keeps ties of the rounding equal on all machines.
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

}  // namespace ringfort::integers
