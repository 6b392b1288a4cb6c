// SPDX-License-Identifier: Apache-2.0
// What every verb asks first: the ring of the evaluator's context, for an operand of that context.
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

}  // namespace verbs

}  // namespace ringfort::integers
