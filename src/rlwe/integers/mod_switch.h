// SPDX-License-Identifier: Apache-2.0
// To a lower level: the error is divided with the modulus.
#pragma once

#include "rlwe/integers/operand.h"

namespace ringfort::integers {

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
