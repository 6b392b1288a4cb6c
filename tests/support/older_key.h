// SPDX-License-Identifier: Apache-2.0
// A public key as files of version 2 have it: without the limb for the special prime.
#pragma once

#include "rlwe/keys.h"

namespace ringfort::testing {

inline PublicKey without_special_limb(const PublicKey& key) {
  const PublicKey::State& s = *key.state();
  const Limbs data = s.context->chain.data();
  auto state = std::make_shared<PublicKey::State>(
      PublicKey::State{s.context, s.id, s.seed, s.context->ring.make_key<Eval>(2, data)});
  s.context->ring.copy(Stream{}, state->pair.all(), s.pair.limbs(data));
  state->pair.keep_contents();
  return PublicKey(std::move(state));
}

}  // namespace ringfort::testing
