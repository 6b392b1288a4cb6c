// SPDX-License-Identifier: Apache-2.0
// Three parts to two; a ciphertext of two parts is copied. relinearize_rescale: both divisions of the sum at once.
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Accuracy relinearized(const Accuracy& bound, const KeyContext::State& context, u32 level) noexcept {
  return with_error(bound, context.noise.key_switch(level).value());
}

Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key) {
  const Ciphertext::State& x = a.state();
  require_key(x.block, key, "relinearize");
  if (x.block.parts != 3) return x.bound;
  const KeyContext::State& k = *x.block.context;
  return admitted(relinearized(x.bound, k, x.block.level), k, x.block.level, "relinearize");
}

void Evaluator::relinearize_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const {
  const Ciphertext::State& x = a.state();
  const Accuracy bound = relinearized_bound(a, key);
  const bool wide = x.block.parts == 3;
  const SharedKeyContext k = x.block.context;
  const auto work = k->workspace(threads_);
  Block held = room(out, a);
  store(out, bound,
        wide ? ringfort::relinearize(x.block, key.state()->key, *work, std::move(held))
             : copy(x.block, x.block.level, *work, std::move(held)));
}

void Evaluator::relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const {
  constexpr std::string_view kWhat = "relinearize_rescale";
  const Ciphertext::State& x = a.state();
  require_key(x.block, key, kWhat);
  if (x.block.parts != 3) return rescale_into(out, a);
  require_level(x.block, 1, kWhat);
  const SharedKeyContext k = x.block.context;
  const u32 level = x.block.level;
  const Accuracy bound = admitted(rescaled(relinearized(x.bound, *k, level), *k, level, 2), *k, level - 1, kWhat);
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::relinearize_rescale(x.block, key.state()->key, *work, room(out, a)));
}

}  // namespace ringfort::ckks
