// SPDX-License-Identifier: Apache-2.0
// Functions that make keys of all kinds for CKKS, BFV and BGV from hidden seeds (secrets.h). Another function packs a
// secret key and reads it again.
#pragma once

#include "constant_time/secrets.h"
#include "io/envelope.h"
#include "ringfort/keys.h"
#include "rlwe/keys.h"
#include "rlwe/wire.h"

namespace ringfort::testing {

inline void make_every_key(const KeyContext& context) {
  const KeyGenerator generator(context);
  ASSERT_TRUE(is_hidden(generator.secret_key().state()->coefficients->data(), 1));
  // The check that the keys match the secret key also runs on hidden bytes.
  require_matching(generator.secret_key(), generator.create_public_key());
  require_matching(generator.secret_key(), generator.create_relinearization_key());
  require_matching(generator.secret_key(), generator.create_galois_keys(plan_keys(context, {{1, -3}, true, 0})));
}

// Packs a key and reads it, without the envelope that libsodium seals.
inline void pack_and_read(const KeyContext& context) {
  const KeyGenerator generator(context);
  const Secret<i8>& coefficients = *generator.secret_key().state()->coefficients;
  Secret<u8> packed(io::ternary_bytes(static_cast<u32>(coefficients.size())));
  io::put_ternary(coefficients.span(), packed.span());
  ASSERT_TRUE(is_hidden(packed.data(), 1));
  const Secret<i8> taken = io::take_ternary(packed.span(), static_cast<u32>(coefficients.size()));
  ASSERT_TRUE(is_hidden(taken.data(), 1));
  const SecretKey read =
      wire::import_secret_key(context.state(), generator.secret_key().state()->id, taken.span()).take();
  require_matching(read, generator.create_public_key());
}

}  // namespace ringfort::testing
