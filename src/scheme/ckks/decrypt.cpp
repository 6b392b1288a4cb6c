// SPDX-License-Identifier: Apache-2.0
// The phase, over no more limbs than the bound needs. A value without one certain bit is refused. The plaintext that comes back
// holds the error: it is the key owner's alone [LiMicciancio21].
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext) const {
  const Ciphertext::State& c = ciphertext.state();
  const SharedKeyContext& k = context_.keys().state();
  require_filled(c.block, "decrypt");
  require_same(c.block.context, k, "decrypt");
  require_same(key_->context, k, "decrypt");
  require_same_key(c.block.key_id, key_->id, "decrypt");
  if (c.bound.error > c.bound.value()) {
    throw Error(Code::noise_bound_exceeded, "decrypt was given a value whose error may be as large as itself (" + std::to_string(c.bound.precision_bits()) +
                " bits after the point, magnitude " + std::to_string(c.bound.magnitude) + ")", "use a larger scale, or fewer operations before decryption");
  }
  const u32 level = composed_level(*k, admitted(c.bound, *k, c.block.level, "decrypt"), c.block.level);
  const auto work = k->workspace();
  const Cleared cleared(*work, Room::product);
  const Slice<Eval> sum = phase(c.block, *key_, level, *work);
  Plaintext out;
  Block held{k, 0, level, 1, k->ring.make<Eval>(1, k->chain.data(level))};
  k->ring.multiply_scalar(work->stream, held.all(), sum, 1);
  out.state() = {std::move(held), c.bound, false};
  return out;
}

}  // namespace ringfort::ckks
