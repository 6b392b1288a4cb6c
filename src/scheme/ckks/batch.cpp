// SPDX-License-Identifier: Apache-2.0
// Verbs on several ciphertexts at once. Each ciphertext has its own bound. The device computes all of them in one batch
// if a batch is faster.
#include "rlwe/arithmetic.h"
#include "rlwe/batch.h"
#include "rlwe/key_switch.h"
#include "rlwe/operands.h"
#include "rlwe/rotation.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

using All = std::span<const Ciphertext>;

// Returns the bound f(i) of the result for each index i. Throws unless all ciphertexts belong to the evaluator's
// context.
template <class F>
std::vector<Accuracy> bounds_of(const Context& context, All all, std::string_view what, F f) {
  std::vector<Accuracy> bounds;
  bounds.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    require_filled(all[i].state().rlwe, what);
    require_same(all[i].state().rlwe.context, context.keys().state(), what);
    bounds.push_back(f(i));
  }
  return bounds;
}

RlweCiphertexts rlwe_of(All all) {
  RlweCiphertexts ciphertexts;
  ciphertexts.reserve(all.size());
  for (const Ciphertext& each : all) ciphertexts.push_back(&each.state().rlwe);
  return ciphertexts;
}

std::vector<Ciphertext> stored(const std::vector<Accuracy>& bounds, std::vector<RlweCiphertext>&& ciphertexts) {
  std::vector<Ciphertext> out(ciphertexts.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], bounds[i], std::move(ciphertexts[i]));
  return out;
}

}  // namespace

std::vector<Ciphertext> Evaluator::multiply(All a, All b) const {
  require_factors(a.size(), b.size(), "multiply");
  const auto bounds =
      bounds_of(context_, a, "multiply", [&](std::size_t i) { return product_bound(a[i], b[i], "multiply"); });
  const auto work = context_.keys().state()->workspace(threads_);
  const RlweVerb verb = [&](const RlweCiphertext& x, const RlweCiphertext& y) {
    return ringfort::multiply(x, y, *work);
  };
  return stored(bounds, for_each(rlwe_of(a), rlwe_of(b), *work, verb));
}

std::vector<Ciphertext> Evaluator::relinearize(All a, const RelinearizationKey& key) const {
  const auto bounds =
      bounds_of(context_, a, "relinearize", [&](std::size_t i) { return relinearized_bound(a[i], key); });
  const auto work = context_.keys().state()->workspace(threads_);
  return stored(bounds, ringfort::relinearize(rlwe_of(a), key.state()->key, *work));
}

std::vector<Ciphertext> Evaluator::rescale(All a) const {
  const auto bounds = bounds_of(context_, a, "rescale", [&](std::size_t i) { return rescaled_bound(a[i]); });
  const auto work = context_.keys().state()->workspace(threads_);
  return stored(bounds, ringfort::rescale(rlwe_of(a), *work));
}

std::vector<Ciphertext> Evaluator::rotate(All a, std::int64_t step, const GaloisKeys& keys) const {
  const Path path = rotation_path(*keys.state(), step);
  const auto bounds =
      bounds_of(context_, a, "rotate", [&](std::size_t i) { return rotated_bound(a[i], keys, path.size()); });
  const auto work = context_.keys().state()->workspace(threads_);
  return stored(bounds, ringfort::rotate(rlwe_of(a), path, *work));
}

}  // namespace ringfort::ckks
