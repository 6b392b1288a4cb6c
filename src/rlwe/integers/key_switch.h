// SPDX-License-Identifier: Apache-2.0
// Verbs of BFV and BGV that switch keys (rlwe/key_switch.h): relinearization, powers, rotations, sums of slots. The
// verbs on several ciphertexts (rlwe/batch.h) are here too.
#pragma once

#include "rlwe/batch.h"
#include "rlwe/integers/arithmetic.h"
#include "rlwe/key_switch.h"
#include "rlwe/operands.h"
#include "rlwe/power.h"
#include "rlwe/rotation.h"

namespace ringfort::integers {

namespace verbs {

// Returns the bound of the sum of the errors of `steps` key switches.
template <class S>
Bound switched(const IntegerRing& ring, u32 level, std::size_t steps) {
  if (steps == 0) return {};
  return Policy<S>::of_phase(ring, level, ring.base().noise.key_switch(level)) * Bound::of(static_cast<double>(steps));
}

template <class S>
NoiseBound relinearized_bound(const IntegerRing& ring, const Ciphertext<S>& a, const RelinearizationKey& key) {
  const auto& x = a.state();
  require_key(x.rlwe, key, "relinearize");
  const Bound error = x.rlwe.components == 3 ? x.bound.error + switched<S>(ring, x.rlwe.level, 1) : x.bound.error;
  return admitted<S>(ring, x.rlwe.level, {error, x.bound.factor}, "relinearize");
}

}  // namespace verbs

template <class S>
void Evaluator<S>::relinearize_into(C& out, const C& a, const RelinearizationKey& key) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "relinearize");
  const auto& x = a.state();
  const NoiseBound bound = verbs::relinearized_bound(ring, a, key);
  const auto work = ring.base().workspace(threads_);
  RlweCiphertext reuse = take_memory(out, a);
  store(out, ring, bound,
        x.rlwe.components == 3 ? ringfort::relinearize(x.rlwe, key.state()->key, *work, std::move(reuse))
                               : copy(x.rlwe, x.rlwe.level, *work, std::move(reuse)));
}

// Computes a power of `a`. product(x, y) must return two components.
template <class C, class F>
C power_of(const C& a, u32 exponent, F product) {
  return power_by_squares(
      a.clone(), exponent, [](const C& x) { return x.clone(); }, product, [&](const C& x) { return product(x, x); });
}

template <class S>
Ciphertext<S> Evaluator<S>::power(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const {
  (void)verbs::ring_for(context_, a, "power");
  const RlweCiphertext& ciphertext = a.state().rlwe;
  require_two_components(ciphertext, "power");
  require_key(ciphertext, key, "power");
  return power_of(a, exponent, [&](const C& x, const C& y) { return relinearize(multiply(x, y), key); });
}

namespace verbs {

template <class S>
NoiseBound rotated_bound(const IntegerRing& ring, const Ciphertext<S>& a, std::size_t steps, std::string_view what) {
  return admitted<S>(ring, a.level(),
                     {a.state().bound.error + switched<S>(ring, a.level(), steps), a.state().bound.factor}, what);
}

}  // namespace verbs

template <class S>
void Evaluator<S>::rotate_into(C& out, const C& a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate");
  require_key(a.state().rlwe, keys, "rotate");
  const Path path = rotation_path(*keys.state(), step);
  const NoiseBound bound = verbs::rotated_bound(ring, a, path.size(), "rotate");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, bound, ringfort::rotate(a.state().rlwe, path, *work, take_memory(out, a)));
}

template <class S>
void Evaluator<S>::swap_rows_into(C& out, const C& a, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "swap_rows");
  require_key(a.state().rlwe, keys, "swap_rows");
  const Path path = swap_rows_path(*keys.state());
  const NoiseBound bound = verbs::rotated_bound(ring, a, 1, "swap_rows");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, bound, ringfort::rotate(a.state().rlwe, path, *work, take_memory(out, a)));
}

template <class S>
void Evaluator<S>::sum_slots_into(C& out, const C& a, std::uint32_t count, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "sum_slots");
  require_key(a.state().rlwe, keys, "sum_slots");
  const std::vector<Path> paths = sum_paths(*keys.state(), count, ring.base().p.n / 2);
  NoiseBound bound = a.state().bound;
  for (const Path& path : paths) {
    const Bound added = verbs::switched<S>(ring, a.level(), path.size());
    bound = admitted<S>(ring, a.level(), {bound.error + bound.error + added, bound.factor}, "sum_slots");
  }
  const auto work = ring.base().workspace(threads_);
  store(out, ring, bound, ringfort::sum_slots(a.state().rlwe, paths, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate_many(const C& a, std::span<const std::int64_t> steps,
                                                     const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate_many");
  require_key(a.state().rlwe, keys, "rotate_many");
  std::vector<Path> paths;
  std::vector<NoiseBound> bounds;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    bounds.push_back(verbs::rotated_bound(ring, a, paths.back().size(), "rotate_many"));
  }
  const auto work = ring.base().workspace(threads_);
  std::vector<RlweCiphertext> rotated = ringfort::rotate_many(a.state().rlwe, paths, *work);
  std::vector<C> out(steps.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, bounds[i], std::move(rotated[i]));
  return out;
}

namespace verbs {

// Returns f(index) for each operand. Throws unless all operands belong to the evaluator's context.
template <class S, class F>
std::vector<NoiseBound> bounds_of(const Context<S>& context, std::span<const Ciphertext<S>> all, std::string_view what,
                                  F f) {
  std::vector<NoiseBound> bounds;
  bounds.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    (void)ring_for(context, all[i], what);
    bounds.push_back(f(i));
  }
  return bounds;
}

template <class S>
RlweCiphertexts rlwe_of(std::span<const Ciphertext<S>> all) {
  RlweCiphertexts ciphertexts;
  ciphertexts.reserve(all.size());
  for (const Ciphertext<S>& each : all) ciphertexts.push_back(&each.state().rlwe);
  return ciphertexts;
}

template <class S>
std::vector<Ciphertext<S>> stored(const IntegerRing& ring, const std::vector<NoiseBound>& bounds,
                                  std::vector<RlweCiphertext>&& ciphertexts) {
  std::vector<Ciphertext<S>> out(ciphertexts.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, bounds[i], std::move(ciphertexts[i]));
  return out;
}

}  // namespace verbs

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::multiply(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "multiply");
  const IntegerRing& ring = context_.state()->ring;
  const auto bounds = verbs::bounds_of<S>(context_, a, "multiply",
                                          [&](std::size_t i) { return product_bound(ring, a[i], b[i], "multiply"); });
  const auto work = ring.base().workspace(threads_);
  const RlweVerb verb = [&](const RlweCiphertext& x, const RlweCiphertext& y) {
    return Policy<S>::multiply(ring, x, y, *work, {});
  };
  return verbs::stored<S>(ring, bounds, for_each(verbs::rlwe_of<S>(a), verbs::rlwe_of<S>(b), *work, verb));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::relinearize(std::span<const C> a, const RelinearizationKey& key) const {
  const IntegerRing& ring = context_.state()->ring;
  const auto bounds = verbs::bounds_of<S>(context_, a, "relinearize",
                                          [&](std::size_t i) { return verbs::relinearized_bound(ring, a[i], key); });
  const auto work = ring.base().workspace(threads_);
  return verbs::stored<S>(ring, bounds, ringfort::relinearize(verbs::rlwe_of<S>(a), key.state()->key, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate(std::span<const C> a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = context_.state()->ring;
  const Path path = rotation_path(*keys.state(), step);
  const auto bounds = verbs::bounds_of<S>(context_, a, "rotate", [&](std::size_t i) {
    require_key(a[i].state().rlwe, keys, "rotate");
    return verbs::rotated_bound(ring, a[i], path.size(), "rotate");
  });
  const auto work = ring.base().workspace(threads_);
  return verbs::stored<S>(ring, bounds, ringfort::rotate(verbs::rlwe_of<S>(a), path, *work));
}

}  // namespace ringfort::integers
