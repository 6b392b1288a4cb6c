// SPDX-License-Identifier: Apache-2.0
// Verbs on several ciphertexts: each has its claim, and what they share is computed together where the device gains by it.
#pragma once

#include "rlwe/batch.h"
#include "rlwe/integers/multiply.h"
#include "rlwe/integers/rotate.h"

namespace ringfort::integers {

namespace verbs {

// The claim of each, by f(index); all are of the evaluator's context.
template <class S, class F>
std::vector<Claim> claims_of(const Context<S>& context, std::span<const Ciphertext<S>> all, std::string_view what, F f) {
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
std::vector<Ciphertext<S>> stored(const IntegerRing& ring, const std::vector<Claim>& claims, std::vector<Block>&& blocks) {
  std::vector<Ciphertext<S>> out(blocks.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, claims[i], std::move(blocks[i]));
  return out;
}

}  // namespace verbs

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::multiply(std::span<const C> a, std::span<const C> b) const {
  require_factors(a.size(), b.size(), "multiply");
  const IntegerRing& ring = context_.state()->ring;
  const auto claims = verbs::claims_of<S>(context_, a, "multiply", [&](std::size_t i) { return product_claim(ring, a[i], b[i], "multiply"); });
  const auto work = ring.base().workspace(threads_);
  const BlockVerb verb = [&](const Block& x, const Block& y) { return Policy<S>::multiply(ring, x, y, *work, {}); };
  return verbs::stored<S>(ring, claims, for_each(verbs::blocks_of<S>(a), verbs::blocks_of<S>(b), *work, verb));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::relinearize(std::span<const C> a, const RelinearizationKey& key) const {
  const IntegerRing& ring = context_.state()->ring;
  const auto claims = verbs::claims_of<S>(context_, a, "relinearize", [&](std::size_t i) { return verbs::relinearized_claim(ring, a[i], key); });
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
