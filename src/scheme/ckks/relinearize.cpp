// SPDX-License-Identifier: Apache-2.0
// Three parts to two; a ciphertext of two parts is copied.
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key) {
  const Ciphertext::State& x = a.state();
  require_key(x.block, key, "relinearize");
  if (x.block.parts != 3) return x.bound;
  const KeyContext::State& k = *x.block.context;
  return admitted(with_error(x.bound, k.noise.key_switch(x.block.level).value()), k, x.block.level, "relinearize");
}

void Evaluator::relinearize_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const {
  const Ciphertext::State& x = a.state();
  const Accuracy bound = relinearized_bound(a, key);
  const bool wide = x.block.parts == 3;
  const SharedKeyContext k = x.block.context;
  const auto work = k->workspace(threads_);
  Block held = room(out, a);
  store(out, bound, wide ? ringfort::relinearize(x.block, key.state()->key, *work, std::move(held)) : copy(x.block, x.block.level, *work, std::move(held)));
}

}  // namespace ringfort::ckks
