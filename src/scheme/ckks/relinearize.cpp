// SPDX-License-Identifier: Apache-2.0
// Relinearization reduces the three components of a product to two. If a ciphertext already has two components, it is
// copied. relinearize_rescale combines two divisions: by the special primes, and by the primes of the level.
#include "rlwe/key_switch.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Accuracy relinearized(const Accuracy& bound, const KeyContext::State& context, u32 level) noexcept {
  return with_error(bound, context.noise.key_switch(level).value());
}

Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key) {
  const Ciphertext::State& x = a.state();
  require_key(x.rlwe, key, "relinearize");
  if (x.rlwe.components != 3) return x.bound;
  const KeyContext::State& k = *x.rlwe.context;
  return admitted(relinearized(x.bound, k, x.rlwe.level), k, x.rlwe.level, "relinearize");
}

void Evaluator::relinearize_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const {
  const Ciphertext::State& x = a.state();
  const Accuracy bound = relinearized_bound(a, key);
  const bool wide = x.rlwe.components == 3;
  const SharedKeyContext k = x.rlwe.context;
  const auto work = k->workspace(threads_);
  RlweCiphertext reuse = take_memory(out, a);
  store(out, bound,
        wide ? ringfort::relinearize(x.rlwe, key.state()->key, *work, std::move(reuse))
             : copy(x.rlwe, x.rlwe.level, *work, std::move(reuse)));
}

void Evaluator::relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const RelinearizationKey& key) const {
  constexpr std::string_view kWhat = "relinearize_rescale";
  const Ciphertext::State& x = a.state();
  require_key(x.rlwe, key, kWhat);
  if (x.rlwe.components != 3) return rescale_into(out, a);
  require_level(x.rlwe, 1, kWhat);
  const SharedKeyContext k = x.rlwe.context;
  const u32 level = x.rlwe.level;
  const Accuracy bound = admitted(rescaled(relinearized(x.bound, *k, level), *k, level, 2), *k, level - 1, kWhat);
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::relinearize_rescale(x.rlwe, key.state()->key, *work, take_memory(out, a)));
}

}  // namespace ringfort::ckks
