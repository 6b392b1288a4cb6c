// SPDX-License-Identifier: Apache-2.0
// Verbs that switch keys: relinearization, powers, rotations, sums of slots; and verbs on several ciphertexts, which
// share what they compute where the device gains by it.
#pragma once

#include "rlwe/batch.h"
#include "rlwe/integers/multiply.h"
#include "rlwe/power.h"

namespace ringfort::integers {

namespace verbs {

// The error of `steps` key switchings.
template <class S>
Bound switched(const IntegerRing& ring, u32 level, std::size_t steps) {
  if (steps == 0) return {};
  return Policy<S>::of_phase(ring, level, ring.base().noise.key_switch(level)) * Bound::of(static_cast<double>(steps));
}

template <class S>
Claim relinearized_claim(const IntegerRing& ring, const Ciphertext<S>& a, const RelinearizationKey& key) {
  const auto& x = a.state();
  require_key(x.block, key, "relinearize");
  const Bound error = x.block.parts == 3 ? x.claim.error + switched<S>(ring, x.block.level, 1) : x.claim.error;
  return admitted<S>(ring, x.block.level, {error, x.claim.factor}, "relinearize");
}

}  // namespace verbs

template <class S>
void Evaluator<S>::relinearize_into(C& out, const C& a, const RelinearizationKey& key) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "relinearize");
  const auto& x = a.state();
  const Claim claim = verbs::relinearized_claim(ring, a, key);
  const auto work = ring.base().workspace(threads_);
  Block held = room(out, a);
  store(out, ring, claim,
        x.block.parts == 3 ? ringfort::relinearize(x.block, key.state()->key, *work, std::move(held))
                           : copy(x.block, x.block.level, *work, std::move(held)));
}

// product(x, y): of two parts.
template <class C, class F>
C power_of(const C& a, u32 exponent, F product) {
  return power(
      a.clone(), exponent, [](const C& x) { return x.clone(); }, product, [&](const C& x) { return product(x, x); });
}

template <class S>
Ciphertext<S> Evaluator<S>::exponentiate(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const {
  (void)verbs::ring_for(context_, a, "exponentiate");
  const Block& block = a.state().block;
  require_two_parts(block, "exponentiate");
  require_key(block, key, "exponentiate");
  return power_of(a, exponent, [&](const C& x, const C& y) { return relinearize(multiply(x, y), key); });
}

namespace verbs {

template <class S>
Claim path_claim(const IntegerRing& ring, const Ciphertext<S>& a, std::size_t steps, std::string_view what) {
  return admitted<S>(ring, a.level(),
                     {a.state().claim.error + switched<S>(ring, a.level(), steps), a.state().claim.factor}, what);
}

}  // namespace verbs

template <class S>
void Evaluator<S>::rotate_into(C& out, const C& a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate");
  require_key(a.state().block, keys, "rotate");
  const Path path = rotation_path(*keys.state(), step);
  const Claim claim = verbs::path_claim(ring, a, path.size(), "rotate");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::swap_rows_into(C& out, const C& a, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "swap_rows");
  require_key(a.state().block, keys, "swap_rows");
  const Path path = swap_path(*keys.state());
  const Claim claim = verbs::path_claim(ring, a, 1, "swap_rows");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::sum_slots_into(C& out, const C& a, std::uint32_t count, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "sum_slots");
  require_key(a.state().block, keys, "sum_slots");
  const std::vector<Path> paths = sum_paths(*keys.state(), count, ring.base().p.n / 2);
  Claim claim = a.state().claim;
  for (const Path& path : paths) {
    const Bound added = verbs::switched<S>(ring, a.level(), path.size());
    claim = admitted<S>(ring, a.level(), {claim.error + claim.error + added, claim.factor}, "sum_slots");
  }
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, ringfort::sum_slots(a.state().block, paths, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate_many(const C& a, std::span<const std::int64_t> steps,
                                                     const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate_many");
  require_key(a.state().block, keys, "rotate_many");
  std::vector<Path> paths;
  std::vector<Claim> claims;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    claims.push_back(verbs::path_claim(ring, a, paths.back().size(), "rotate_many"));
  }
  const auto work = ring.base().workspace(threads_);
  std::vector<Block> turned = ringfort::rotate_many(a.state().block, paths, *work);
  std::vector<C> out(steps.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, claims[i], std::move(turned[i]));
  return out;
}

namespace verbs {

// The claim of each, by f(index); all are of the evaluator's context.
template <class S, class F>
std::vector<Claim> claims_of(const Context<S>& context, std::span<const Ciphertext<S>> all, std::string_view what,
                             F f) {
  std::vector<Claim> claims;
  claims.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    (void)ring_for(context, all[i], what);
    claims.push_back(f(i));
  }
  return claims;
}

template <class S>
Blocks blocks_of(std::span<const Ciphertext<S>> all) {
  Blocks blocks;
  blocks.reserve(all.size());
  for (const Ciphertext<S>& each : all) blocks.push_back(&each.state().block);
  return blocks;
}

template <class S>
std::vector<Ciphertext<S>> stored(const IntegerRing& ring, const std::vector<Claim>& claims,
                                  std::vector<Block>&& blocks) {
  std::vector<Ciphertext<S>> out(blocks.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, claims[i], std::move(blocks[i]));
  return out;
}

}  // namespace verbs

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::multiply(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "multiply");
  const IntegerRing& ring = context_.state()->ring;
  const auto claims = verbs::claims_of<S>(context_, a, "multiply",
                                          [&](std::size_t i) { return product_claim(ring, a[i], b[i], "multiply"); });
  const auto work = ring.base().workspace(threads_);
  const BlockVerb verb = [&](const Block& x, const Block& y) { return Policy<S>::multiply(ring, x, y, *work, {}); };
  return verbs::stored<S>(ring, claims, for_each(verbs::blocks_of<S>(a), verbs::blocks_of<S>(b), *work, verb));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::relinearize(std::span<const C> a, const RelinearizationKey& key) const {
  const IntegerRing& ring = context_.state()->ring;
  const auto claims = verbs::claims_of<S>(context_, a, "relinearize",
                                          [&](std::size_t i) { return verbs::relinearized_claim(ring, a[i], key); });
  const auto work = ring.base().workspace(threads_);
  return verbs::stored<S>(ring, claims, ringfort::relinearize(verbs::blocks_of<S>(a), key.state()->key, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate(std::span<const C> a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = context_.state()->ring;
  const Path path = rotation_path(*keys.state(), step);
  const auto claims = verbs::claims_of<S>(context_, a, "rotate", [&](std::size_t i) {
    require_key(a[i].state().block, keys, "rotate");
    return verbs::path_claim(ring, a[i], path.size(), "rotate");
  });
  const auto work = ring.base().workspace(threads_);
  return verbs::stored<S>(ring, claims, ringfort::rotate(verbs::blocks_of<S>(a), path, *work));
}

}  // namespace ringfort::integers
