// SPDX-License-Identifier: Apache-2.0
// `rescale` divides the scale and the error by the primes of the level. It keeps the value, and adds a rounding error.
// `mod_switch` drops limbs (primes of the modulus). It keeps the scale, the value and the error.
#include "rlwe/arithmetic.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Accuracy rescaled(const Accuracy& bound, const KeyContext::State& context, u32 level, u32 components) {
  const Accuracy rounded =
      with_error(divided(bound, last_product(context, level)), context.noise.rounding(components).value());
  if (rounded.scale.high >= 2 || context.unguarded()) return rounded;
  throw Error(Code::noise_bound_exceeded, "rescale would leave a scale below 2",
              "multiply before rescaling: a rescaling follows a product");
}

Accuracy rescaled_bound(const Ciphertext& a) {
  const Ciphertext::State& x = a.state();
  require_level(x.rlwe, 1, "rescale");
  const KeyContext::State& k = *x.rlwe.context;
  return admitted(rescaled(x.bound, k, x.rlwe.level, x.rlwe.components), k, x.rlwe.level - 1, "rescale");
}

void Evaluator::rescale_into(Ciphertext& out, const Ciphertext& a) const {
  const Ciphertext::State& x = a.state();
  const Accuracy bound = rescaled_bound(a);
  const SharedKeyContext k = x.rlwe.context;
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::rescale(x.rlwe, *work, take_memory(out, a)));
}

void Evaluator::mod_switch_into(Ciphertext& out, const Ciphertext& a, std::uint32_t level) const {
  const Ciphertext::State& x = a.state();
  require_filled(x.rlwe, "mod_switch");
  require_lower(x.rlwe, level, "mod_switch");
  const Accuracy bound = admitted(x.bound, *x.rlwe.context, level, "mod_switch");
  const auto work = x.rlwe.context->workspace(threads_);
  store(out, bound, copy(x.rlwe, level, *work, take_memory(out, a)));
}

}  // namespace ringfort::ckks
