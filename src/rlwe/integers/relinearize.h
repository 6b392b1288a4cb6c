// SPDX-License-Identifier: Apache-2.0
// Three parts to two, by key switching; the error that key switchings add.
#pragma once

#include "rlwe/integers/operand.h"

namespace ringfort::integers {

namespace verbs {

// The error of `steps` key switchings.
template <class S>
Bound switched(const IntegerRing& ring, u32 level, std::size_t steps) {
  if (steps == 0) return {};
  return Policy<S>::of_phase(ring, level, ring.base().noise.key_switch(level)) * Bound::of(static_cast<double>(steps));
}

template <class S>
Claim relinearized_claim(const IntegerRing& ring, const Ciphertext<S>& a, const RelinearizationKey& key) {
  const auto& x = a.state();
  require_key(x.block, key, "relinearize");
  const Bound error = x.block.parts == 3 ? x.claim.error + switched<S>(ring, x.block.level, 1) : x.claim.error;
  return admitted<S>(ring, x.block.level, {error, x.claim.factor}, "relinearize");
}

}  // namespace verbs

template <class S>
void Evaluator<S>::relinearize_into(C& out, const C& a, const RelinearizationKey& key) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "relinearize");
  const auto& x = a.state();
  const Claim claim = verbs::relinearized_claim(ring, a, key);
  const auto work = ring.base().workspace(threads_);
  Block held = room(out, a);
  store(out, ring, claim, x.block.parts == 3 ? ringfort::relinearize(x.block, key.state()->key, *work, std::move(held)) : copy(x.block, x.block.level, *work, std::move(held)));
}

}  // namespace ringfort::integers
