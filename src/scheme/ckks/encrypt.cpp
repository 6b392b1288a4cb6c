// SPDX-License-Identifier: Apache-2.0
// Encryption adds the plaintext to an encryption of zero at the plaintext's level.
#include "rlwe/encryption.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

void Encryptor::encrypt_into(Ciphertext& out, const Plaintext& plaintext) const {
  const Plaintext::State& p = plaintext.state();
  const SharedKeyContext& k = context_.keys().state();
  require_filled(p.rlwe, "encrypt");
  require_same(p.rlwe.context, k, "encrypt");
  require_same(k, secret_ ? secret_->context : public_->context, "encrypt");
  if (p.of_the_public) {
    throw Error(Code::mode_forbidden,
                "encrypt was given a plaintext of encode_public, whose measured magnitude the ciphertext would reveal",
                "use encode, with a declared magnitude");
  }
  const Origin origin = secret_ ? Origin::fresh_secret : public_->origin();
  const Accuracy bound = admitted(with_error(p.bound, k->noise.fresh(origin).value()), *k, p.rlwe.level, "encrypt");
  const auto work = k->workspace();
  RlweCiphertext reuse = std::exchange(out.state().rlwe, {});
  RlweCiphertext zero = secret_ ? encrypt_zero(*secret_, p.rlwe.level, *work, std::move(reuse))
                                : encrypt_zero(*public_, p.rlwe.level, *work, std::move(reuse));
  k->ring.add(work->stream, zero.slice(0, 1), zero.slice(0, 1), p.rlwe.all());
  store(out, bound, std::move(zero));
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  Ciphertext out;
  encrypt_into(out, plaintext);
  return out;
}

}  // namespace ringfort::ckks
