// SPDX-License-Identifier: Apache-2.0
// Keys of the leveled schemes, all kinds, made of hidden seeds.
#pragma once

#include "constant_time/secrets.h"
#include "ringfort/keys.h"
#include "rlwe/keys.h"

namespace ringfort::testing {

inline void make_every_key(const KeyContext& context) {
  const KeyGenerator generator(context);
  ASSERT_TRUE(is_hidden(generator.secret_key().state()->coefficients->data(), 1));
  // And found to be the secret's.
  require_matching(generator.secret_key(), generator.create_public_key());
  require_matching(generator.secret_key(), generator.create_relinearization_key());
  require_matching(generator.secret_key(), generator.create_galois_keys(plan_keys(context, {{1, -3}, true, 0})));
}

}  // namespace ringfort::testing
